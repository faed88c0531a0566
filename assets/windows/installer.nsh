# What electron-builder's installer does beyond its own: the kiosk users' group, what they may read, and the task that starts
# the player when one of them logs on. docs/windows.md says what is to be done then.
!include "LogicLib.nsh"
!include "WordFunc.nsh"

!define SPOTLOOP_TASK "Spotloop"
!define SPOTLOOP_GROUP "Spotloop Kiosk"
# By their numbers: their names are other ones in each language of Windows.
!define SPOTLOOP_SYSTEM "*S-1-5-18"
!define SPOTLOOP_ADMINISTRATORS "*S-1-5-32-544"
# Where Windows' own commands are; a test has others.
!ifndef SPOTLOOP_COMMANDS
  !define SPOTLOOP_COMMANDS "$SYSDIR"
!endif

# Runs one of them without a window, and leaves its exit code, or "error", in $R0.
!macro spotloopRun COMMAND ARGUMENTS
  nsExec::Exec `"${SPOTLOOP_COMMANDS}\${COMMAND}" ${ARGUMENTS}`
  Pop $R0
!macroend

# Writes the task with the folder in it, as Task Scheduler itself writes tasks: in UTF-16.
!macro spotloopWriteTask FOLDER FILE
  ${WordReplace} "${FOLDER}" "&" "&amp;" "+" $R1
  FileOpen $R2 "${FOLDER}\task.xml" r
  FileOpen $R3 "${FILE}" w
  FileWriteUTF16LE /BOM $R3 `<?xml version="1.0" encoding="UTF-16"?>$\r$\n`
  FileRead $R2 $R4
  ${Do}
    ClearErrors
    FileRead $R2 $R4
    ${If} ${Errors}
      ${ExitDo}
    ${EndIf}
    ${WordReplace} "$R4" "@FOLDER@" "$R1" "+" $R4
    FileWriteUTF16LE $R3 "$R4"
  ${Loop}
  FileClose $R2
  FileClose $R3
!macroend

!macro customInstall
  # Where it is already there this fails.
  !insertmacro spotloopRun "net.exe" `localgroup "${SPOTLOOP_GROUP}" /add /comment:"Whoever logs on as a member plays Spotloop"`

  # Everybody may make folders there: who has made this one is not to own it.
  ReadEnvStr $R5 ProgramData
  StrCpy $R5 "$R5\Spotloop"
  CreateDirectory "$R5"
  !insertmacro spotloopRun "icacls.exe" `"$R5" /setowner ${SPOTLOOP_ADMINISTRATORS}`
  !insertmacro spotloopRun "icacls.exe" `"$R5" /inheritance:r /grant:r ${SPOTLOOP_SYSTEM}:(OI)(CI)F ${SPOTLOOP_ADMINISTRATORS}:(OI)(CI)F "${SPOTLOOP_GROUP}:(OI)(CI)RX"`
  StrCpy $R6 $R0

  !insertmacro spotloopWriteTask "$INSTDIR\kiosk" "$INSTDIR\kiosk\registered.xml"
  StrCpy $R0 0
  ReadRegDWORD $R7 HKLM "Software\Spotloop" "ShellLauncher"
  ${If} $R7 != 1
    !insertmacro spotloopRun "schtasks.exe" `/Create /TN "${SPOTLOOP_TASK}" /XML "$INSTDIR\kiosk\registered.xml" /F`
  ${EndIf}

  ${If} $R0 != 0
  ${OrIf} $R6 != 0
    SetErrorLevel 1
    MessageBox MB_OK|MB_ICONEXCLAMATION "Spotloop is installed, but Windows refused its task (schtasks: $R0) or the rights of $R5 (icacls: $R6). It does not start by itself." /SD IDOK
  ${ElseIfNot} ${FileExists} "$R5\config.json"
    MessageBox MB_OK|MB_ICONINFORMATION "Next:$\r$\n1. Put config.json and org-token into $R5.$\r$\n2. Make the kiosk's user a member of the group '${SPOTLOOP_GROUP}'.$\r$\n3. Have Windows log that user on by itself, and restart." /SD IDOK
  ${EndIf}
!macroend

# Before a new version is installed the old one is removed, and the task left to the new one. The group and ProgramData\Spotloop stay: they are the site's.
!macro customUnInstall
  ${IfNot} ${isUpdated}
    !insertmacro spotloopRun "schtasks.exe" `/Delete /TN "${SPOTLOOP_TASK}" /F`
  ${EndIf}
!macroend

# Before the player is closed, its supervisor is: it would start the player again while its files are replaced.
!macro customCheckAppRunning
  !insertmacro spotloopRun "schtasks.exe" `/End /TN "${SPOTLOOP_TASK}"`
  !insertmacro IS_POWERSHELL_AVAILABLE
  !insertmacro _CHECK_APP_RUNNING
!macroend
