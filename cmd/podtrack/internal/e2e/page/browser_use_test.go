package page

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func sendCommand[P, R any](b *browser, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	result, err := chromedp.Call(b.ctx, command, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}

// open opens an address of the page as somebody does to whom it was sent.
func (b *browser) open(address string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, pageTimeout)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(b.base+address)); err != nil {
		b.t.Fatalf("%s: %v", address, err)
	}
}

// pageTimeout is how long the page may take to show what it has to: long, since other
// tests run meanwhile.
const pageTimeout = time.Minute

// until waits for an expression to be true on the page.
func (b *browser) until(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, pageTimeout)
	defer cancel()
	wait := `new Promise((done) => { const look = async () => { let is = false; try { is = ` + expression +
		` } catch {}; is ? done(true) : setTimeout(look, 20) }; look() })`
	_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](wait, chromedp.EvalAwaitPromise))
	for err != nil && ctx.Err() == nil && strings.Contains(err.Error(), "navigated or closed") { // from there on anew
		_, err = chromedp.Run(ctx, chromedp.Evaluate[bool](wait, chromedp.EvalAwaitPromise))
	}
	if err != nil {
		b.t.Fatalf("%s never was so: %v\n%s", expression, err, b.eval("document.body.innerText.slice(0, 3000)"))
	}
}

// sees waits until the page says something.
func (b *browser) sees(texts ...string) {
	b.t.Helper()
	for _, text := range texts {
		b.until(fmt.Sprintf(`document.body.innerText.replaceAll("\u00a0", " ").includes(%q)`, text))
	}
}

// eval returns an expression's value as text.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return text
}

// press clicks on the first element that a selector finds, once it is there.
func (b *browser) press(selector string) {
	b.t.Helper()
	b.until(fmt.Sprintf("document.querySelector(%q)", selector) + " !== null")
	b.eval(fmt.Sprintf("document.querySelector(%q).click()", selector))
}

// look sets the size of the window, and whether the reader likes it dark.
func (b *browser) look(width int64, scheme string) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, viewHeight))
	sendCommand(b, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}
