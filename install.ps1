# Installs tokenforge: downloads the archive of a release, verifies its SHA-256, and puts one file into one folder.
#
#   $env:TOKENFORGE_VERSION      which release [default: the latest]
#   $env:TOKENFORGE_INSTALL_DIR  where to [default: ~\.local\bin]
#   $env:TOKENFORGE_RELEASES     where releases are: a URL or a folder with the layout of GitHub's [default: this project's]
#
# To uninstall, remove that file. Nothing else is changed.
# In a function, so that a script that was cut off while it was downloaded does nothing, and errors are thrown, since `exit` would
# close the window of someone who pipes this to `iex`.
function Install-Tokenforge {
    $ErrorActionPreference = 'Stop'
    $ProgressPreference = 'SilentlyContinue' # Windows PowerShell downloads many times slower while it draws a bar
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

    $repository = 'https://github.com/tokenforge/tokenforge'
    $releases = if ($env:TOKENFORGE_RELEASES) { $env:TOKENFORGE_RELEASES } else { "$repository/releases" }
    $folder = if ($env:TOKENFORGE_INSTALL_DIR) { $env:TOKENFORGE_INSTALL_DIR } else { Join-Path $HOME '.local\bin' }

    # Windows on ARM runs programs for x86-64.
    $processor = if ($env:PROCESSOR_ARCHITEW6432) { $env:PROCESSOR_ARCHITEW6432 } else { $env:PROCESSOR_ARCHITECTURE }
    if ($processor -notin 'AMD64', 'ARM64') {
        throw "install.ps1: there is no prebuilt program for Windows on $processor. To build it from source: cargo install --git $repository tokenforge"
    }
    $target = 'x86_64-pc-windows-msvc'

    $release = "$releases/latest/download"
    if ($env:TOKENFORGE_VERSION) {
        $release = "$releases/download/v" + $env:TOKENFORGE_VERSION.TrimStart('v')
    }
    $work = Join-Path ([IO.Path]::GetTempPath()) ('tokenforge-' + [Guid]::NewGuid())
    New-Item -ItemType Directory -Path $work | Out-Null
    try {
        $sums = Join-Path $work 'SHA256SUMS'
        try { Get-ReleaseFile "$release/SHA256SUMS" $sums }
        catch { throw "install.ps1: found no release $($env:TOKENFORGE_VERSION): cannot get $release/SHA256SUMS ($($_.Exception.Message))" }
        # The list has the names of the archives too, and with them the version that is the latest.
        $line = Get-Content $sums | Where-Object { $_ -match "^[0-9a-f]{64}  tokenforge-[^/]*-$target\.zip$" } | Select-Object -First 1
        if (-not $line) { throw "install.ps1: the release at $release has no archive for $target" }
        $expected, $archive = $line -split '  ', 2

        Write-Host "Downloading $release/$archive"
        $zip = Join-Path $work $archive
        Get-ReleaseFile "$release/$archive" $zip
        $found = (Get-FileHash -Algorithm SHA256 -Path $zip).Hash.ToLowerInvariant()
        if ($found -ne $expected) {
            throw "install.ps1: $archive is not the file that was released. Nothing was installed.`n" +
                "  SHA-256 in the release's list: $expected`n  SHA-256 of what was received:  $found"
        }

        Expand-Archive -Path $zip -DestinationPath $work
        $program = Join-Path $work ($archive -replace '\.zip$', '\bin\tokenforge.exe')
        $version = & $program --version
        if ($LASTEXITCODE -ne 0) { throw 'install.ps1: the program does not run on this machine. Nothing was installed.' }

        # One that runs cannot be overwritten, but it can be renamed.
        New-Item -ItemType Directory -Force -Path $folder | Out-Null
        $installed = Join-Path $folder 'tokenforge.exe'
        $old = "$installed.old"
        if (Test-Path $old) { Remove-Item -Force $old -ErrorAction SilentlyContinue }
        if (Test-Path $installed) { Move-Item -Force $installed $old }
        Move-Item $program $installed
        if (Test-Path $old) { Remove-Item -Force $old -ErrorAction SilentlyContinue }
        Write-Host "Installed ${version}: $installed"
    } finally {
        Remove-Item -Recurse -Force $work
    }

    if (($env:PATH -split ';') -contains $folder) {
        Write-Host 'Try it: tokenforge demo'
    } else {
        Write-Host "Note: $folder is not on your PATH. To add it, run this and open a new window:"
        Write-Host "  [Environment]::SetEnvironmentVariable('Path', '$folder;' + [Environment]::GetEnvironmentVariable('Path', 'User'), 'User')"
        Write-Host "Try it: & '$installed' demo"
    }
}

# A URL, or a file.
function Get-ReleaseFile($from, $to) {
    if ($from -match '^https?://') {
        Invoke-WebRequest -UseBasicParsing -Uri $from -OutFile $to
    } else {
        Copy-Item ($from -replace '^file://', '') $to
    }
}

Install-Tokenforge
