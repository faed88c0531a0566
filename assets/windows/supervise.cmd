@echo off
rem Starts the player, and starts it again whenever it ends, until it ends with 0: it was asked to.
rem   75, 76   it asks for a restart: at once
rem   others   a crash, or 78, which no restart mends: after 5 s, then twice as long each time, 5 minutes at most.
rem            Once it ran for ten minutes the pauses begin anew.
rem In cmd, which every Windows has and no execution policy forbids. Begun a second time by the same user, it waits
rem until the first one and its player have ended, and takes over: so a player that outlived its supervisor gets another.
rem
rem   supervise.cmd [PROGRAM [ARGUMENT...]]   another program in the player's place
rem What it did is in %LOCALAPPDATA%\Spotloop\supervisor.log.
setlocal EnableExtensions DisableDelayedExpansion
title Spotloop
set FIRST_PAUSE=5
set LONGEST_PAUSE=300
set LONG_RUN=600
set LOG_BYTES=262144
set LOCK_PAUSE=10

set command=%*
if not defined command set command="%~dp0..\spotloop.exe"
if not defined LOCALAPPDATA set "LOCALAPPDATA=%TEMP%"
set "folder=%LOCALAPPDATA%\Spotloop"
if not exist "%folder%\" md "%folder%"
set "log=%folder%\supervisor.log"
set said=
set held=

:lock
rem A file that is open for writing cannot be opened so again. Programs started meanwhile have it open, too.
call :supervise 9>"%folder%\supervisor.lock"
if defined held exit /b 0
if not defined said call :say "waits: another supervisor of this user, or its player, is running"
set said=yes
call :wait %LOCK_PAUSE%
goto lock

:supervise
set held=yes
set pause=%FIRST_PAUSE%
call :say "begins"
:start
call :clock began
%command%
set code=%errorlevel%
call :clock ended
set /a ran=ended-began
if %ran% lss 0 set /a ran+=86400
if %ran% geq %LONG_RUN% set pause=%FIRST_PAUSE%
if "%code%"=="0" goto stopped
if "%code%"=="75" goto again
if "%code%"=="76" goto again
call :say "the player ended with %code% after %ran% s: waits %pause% s"
call :wait %pause%
set /a pause*=2
if %pause% gtr %LONGEST_PAUSE% set pause=%LONGEST_PAUSE%
goto start
:again
call :say "the player asks for a restart by %code% after %ran% s"
goto start
:stopped
call :say "the player ended with 0 after %ran% s: ends"
exit /b 0

rem Sets a variable to the seconds since midnight. A clock that is put right meanwhile makes one pause shorter or longer.
:clock
set %1=0
for /f "tokens=1-3 delims=:., " %%h in ("%time%") do set /a %1=100%%h %% 100 * 3600 + 100%%i %% 100 * 60 + 100%%j %% 100 2>nul
exit /b 0

rem Waits for seconds. timeout ends at once where there is no keyboard.
:wait
set /a pings=%1+1
"%SystemRoot%\System32\ping.exe" -n %pings% 127.0.0.1 >nul || "%SystemRoot%\System32\timeout.exe" /t %1 /nobreak >nul
exit /b 0

:say
for %%f in ("%log%") do if %%~zf0 gtr %LOG_BYTES%0 move /y "%log%" "%log%.old" >nul
echo %date% %time% %~1>>"%log%"
exit /b 0
