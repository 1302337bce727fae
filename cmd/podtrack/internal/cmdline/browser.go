package cmdline

import (
	"context"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"runtime"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay/programs"
)

// OpenBrowser opens an address in the system's browser, in the background. If that fails,
// it prints a note. A secret address is passed in a file, since all users of a machine can
// read the arguments of its processes. It is unknown when the browser has read the file;
// the caller must call end, which removes it, when the address is no longer served.
func OpenBrowser(c *cli.Context, address string, secret bool) (end func()) {
	ctx, cancel := context.WithCancel(c.Context)
	var dir string
	var err error
	if secret {
		dir, address, err = writeRedirect(address)
	}
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		if err == nil {
			err = startBrowser(ctx, address)
		}
		if err != nil && ctx.Err() == nil {
			PrintLine(c.App.ErrWriter, "no browser was opened (%v)", err)
			fmt.Fprintln(c.App.ErrWriter, "  open the address above in a browser")
		}
	}()
	return func() {
		cancel()
		<-opened
		if dir != "" {
			_ = os.RemoveAll(dir)
		}
	}
}

// startBrowser runs the system's program for opening an address.
func startBrowser(ctx context.Context, address string) error {
	program := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		program[0] = "open"
	case "windows":
		program = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	browser, err := programs.Browser.Command(ctx, program[0], program[1:]...)
	if err != nil {
		return err
	}
	return browser.Run()
}

// writeRedirect writes a page that redirects to an address. The page is in a new folder
// that only this user can read.
func writeRedirect(address string) (dir, path string, err error) {
	if dir, err = os.MkdirTemp("", "podtrack-open-*"); err != nil {
		return "", "", err
	}
	path = filepath.Join(dir, "podtrack.html")
	page := `<!doctype html><meta charset="utf-8"><title>podtrack</title><meta name="referrer" content="no-referrer">` +
		`<meta http-equiv="refresh" content="0; url=` + html.EscapeString(address) + `">` + "\n"
	return dir, path, os.WriteFile(path, []byte(page), 0o600)
}
