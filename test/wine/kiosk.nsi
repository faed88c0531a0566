# Small programs for Windows that try assets/windows, one for each PROGRAM: compiled by test/wine/kiosk.ts.
Unicode true
Target amd64-unicode
Name Spotloop
OutFile "${OUTPUT}"
RequestExecutionLevel user
!include "FileFunc.nsh"
!include "LogicLib.nsh"

# The installer and uninstaller, with nothing in them but what is ours.
!if "${PROGRAM}" == "setup"
  InstallDir "$EXEDIR\Spotloop & Söhne"
  !define SPOTLOOP_COMMANDS "$INSTDIR\..\commands"
  # In place of electron-builder's own.
  !macro _isUpdated _a _b _t _f
    ${GetParameters} $R9
    ClearErrors
    ${GetOptions} $R9 "--updated" $R9
    IfErrors `${_f}` `${_t}`
  !macroend
  !define isUpdated `"" isUpdated ""`
  !macro IS_POWERSHELL_AVAILABLE
  !macroend
  !macro _CHECK_APP_RUNNING
    DetailPrint "closes what runs"
  !macroend
  !include "${ASSETS}/installer.nsh"
  Section
    SetRegView 64
    SetShellVarContext all
    !insertmacro customCheckAppRunning
    SetOutPath "$INSTDIR\kiosk"
    File "${ASSETS}/task.xml"
    File "${ASSETS}/supervise.cmd"
    !insertmacro customInstall
    WriteUninstaller "$INSTDIR\uninstall.exe"
  SectionEnd
  Section Uninstall
    !insertmacro customCheckAppRunning
    !insertmacro customUnInstall
  SectionEnd
!else
  SilentInstall silent
!endif

# A command of Windows' own: writes down how it was called, and fails where a file beside it says so.
!if "${PROGRAM}" == "recorder"
  Section
    FileOpen $0 "$EXEDIR\called.txt" a
    FileSeek $0 0 END
    FileWriteUTF16LE $0 "$EXEFILE $CMDLINE$\n"
    FileClose $0
    ${If} ${FileExists} "$EXEDIR\refuse"
      SetErrorLevel 5
    ${EndIf}
  SectionEnd
!endif

# A player: ends with the exit code that is its turn in player.ini, and notes the start.
!if "${PROGRAM}" == "player"
  Section
    ReadINIStr $0 "$EXEDIR\player.ini" "starts" "count"
    IntOp $0 $0 + 1
    WriteINIStr "$EXEDIR\player.ini" "starts" "count" "$0"
    ReadINIStr $1 "$EXEDIR\player.ini" "codes" "$0"
    SetErrorLevel $1
  SectionEnd
!endif

# Holds a file open as a supervisor of real Windows does its lock, until another file is there.
!if "${PROGRAM}" == "holder"
  Section
    FileOpen $0 "$EXEDIR\local\Spotloop\supervisor.lock" w
    FileOpen $1 "$EXEDIR\held" w
    FileClose $1
    ${DoUntil} ${FileExists} "$EXEDIR\release"
      Sleep 100
    ${Loop}
    FileClose $0
  SectionEnd
!endif
