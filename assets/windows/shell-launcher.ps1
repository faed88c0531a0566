<#
.SYNOPSIS
Has Windows start the Spotloop player in place of the desktop, for one user, and start it again when it ends.

.DESCRIPTION
Shell Launcher does that by itself (Windows Enterprise, Education and IoT Enterprise; not Home, not Pro): there is no desktop
behind the player, and no task is needed. The task of the installer's is removed, and later versions do not bring it back.
Shell Launcher knows no pauses: what ends at once is started again at once.

.PARAMETER User
The kiosk's user, as MACHINE\name or name.

.PARAMETER Remove
Gives that user the desktop back, and registers the task again.

.EXAMPLE
powershell -ExecutionPolicy Bypass -File shell-launcher.ps1 -User kiosk
#>
#Requires -RunAsAdministrator
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)] [string] $User,
    [switch] $Remove
)
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# What Shell Launcher can do when the shell ends (WESL_UserSetting.SetCustomShell).
$RestartShell = 0
$DoNothing = 3

$player = Join-Path (Split-Path -Parent $PSScriptRoot) 'spotloop.exe'
$settings = 'HKLM:\Software\Spotloop'
$sid = (New-Object System.Security.Principal.NTAccount($User)).Translate([System.Security.Principal.SecurityIdentifier]).Value

if (-not $Remove) {
    $feature = 'Client-EmbeddedShellLauncher'
    if ((Get-WindowsOptionalFeature -Online -FeatureName $feature).State -ne 'Enabled') {
        Enable-WindowsOptionalFeature -Online -FeatureName $feature -All -NoRestart | Out-Null
    }
}

$launcher = [wmiclass] '\\localhost\root\standardcimv2\embedded:WESL_UserSetting'

# SetCustomShell fails for a user who has one already.
$known = Get-CimInstance -Namespace 'root\standardcimv2\embedded' -ClassName WESL_UserSetting | Where-Object { $_.Sid -eq $sid }
if ($known) { $launcher.RemoveCustomShell($sid) | Out-Null }

if ($Remove) {
    if (Test-Path $settings) { Remove-ItemProperty -Path $settings -Name ShellLauncher -ErrorAction SilentlyContinue }
    & "$env:SystemRoot\System32\schtasks.exe" /Create /TN Spotloop /XML (Join-Path $PSScriptRoot 'registered.xml') /F
    if ($LASTEXITCODE -ne 0) { throw "schtasks ended with $LASTEXITCODE" }
    Write-Output "$User has the desktop again from the next logon on. Other users' shells are as they were."
    return
}

# Everybody else keeps the desktop: without this they would get cmd.exe.
$launcher.SetDefaultShell('explorer.exe', $RestartShell) | Out-Null
# 0: it was asked to stop. 75 and 76: it asks for a restart. All else is a crash.
$launcher.SetCustomShell($sid, "`"$player`"", [int[]] (0, 75, 76), [int[]] ($DoNothing, $RestartShell, $RestartShell), $RestartShell) | Out-Null
$launcher.SetEnabled($true) | Out-Null

if (-not (Test-Path $settings)) { New-Item -Path $settings | Out-Null }
New-ItemProperty -Path $settings -Name ShellLauncher -PropertyType DWord -Value 1 -Force | Out-Null
# Where it is not there this fails, and is to.
& "$env:SystemRoot\System32\cmd.exe" /d /c 'schtasks.exe /Delete /TN Spotloop /F >nul 2>&1'
Write-Output "$User gets the player in place of the desktop from the next logon on: restart the machine."
