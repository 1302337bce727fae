package page

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// browser is a tab of a real browser on a page that podtrack serves.
type browser struct {
	t    *testing.T
	ctx  context.Context
	base string // where the page is served, without a slash at the end

	mu       sync.Mutex
	wrong    []string // what the page should not have done
	forgiven []string // parts of what does not count
}

// newBrowser serves a store, with flags of serve, and opens a tab for it.
func newBrowser(t *testing.T, store string, flags ...string) *browser {
	t.Helper()
	return openBrowser(t, serveStore(t, store, flags...))
}

// openBrowser opens a tab for what is served at an address.
func openBrowser(t *testing.T, base string) *browser {
	t.Helper()
	b := &browser{base: base}
	dir, err := os.MkdirTemp("", "browser")
	e2e.Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // what is left of it may still write
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Env("TMPDIR="+dir))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 15*time.Minute)
	t.Cleanup(cancel)
	b.ctx, cancel = chromedp.NewContext(ctx, chromedp.WithListener(b.hear))
	t.Cleanup(cancel)
	b.use(t)
	b.do(chromedp.Navigate("about:blank"))
	sendCommand(b, log.Enable, cdp.Empty{})
	sendCommand(b, network.Enable, network.EnableParams{})
	return b
}

// chromium returns the browser's program.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	schematest.NeedsPrograms(t, "chromium")
	return "chromium"
}

// serveStore serves a store until the test ends, and says where.
func serveStore(t *testing.T, store string, flags ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := &exec.Cmd{Path: self, Args: append([]string{"podtrack", "serve", "--store", store}, flags...)}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("podtrack serve printed no address: %v", err)
	}
	return strings.TrimSuffix(strings.TrimSpace(line), "/")
}

// use makes the tab report to a subtest, which fails where the page does what it
// should not.
func (b *browser) use(t *testing.T) {
	before := b.t
	b.t = t
	t.Cleanup(func() {
		b.t = before
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, wrong := range b.wrong {
			if !slices.ContainsFunc(b.forgiven, func(text string) bool { return strings.Contains(wrong, text) }) {
				t.Error(wrong)
			}
		}
		b.wrong, b.forgiven = nil, nil
	})
}

// hear notes errors of the page and requests to elsewhere.
func (b *browser) hear(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.note("exception: %s %s", e.ExceptionDetails.Text, describe(e.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		for _, arg := range e.Args {
			b.note("console: %s %s", arg.Value, arg.Description)
		}
	case *log.EventEntryAdded:
		b.note("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
	case *network.EventRequestWillBeSent:
		url := e.Request.URL
		if isOwn := url == b.base || strings.HasPrefix(url, b.base+"/") || strings.HasPrefix(url, "blob:"+b.base+"/") ||
			strings.HasPrefix(url, "data:image/svg+xml,"); !isOwn && url != "about:blank" {
			b.note("it asked for %s", url)
		}
	}
}

func describe(o *runtime.RemoteObject) string {
	if o == nil {
		return ""
	}
	return o.Description
}

func (b *browser) note(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = append(b.wrong, textfmt.Shorten(fmt.Sprintf(format, args...), 500))
}

// forgive sets complaints of the browser, not of the page, that are ignored until the test ends.
func (b *browser) forgive(texts ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forgiven = texts
}
