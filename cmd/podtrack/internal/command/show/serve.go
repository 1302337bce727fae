package show

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

const tokenVariable = "PODTRACK_TOKEN"

// serving is the command serve, with its flags.
type serving struct {
	addr       *string
	open, edit bool
	hosts      []string
	token      *string
}

var _ = cmdline.Register(cmdline.Command{
	Name: "serve", Group: cmdline.GroupShow, Place: 2,
	Example: "podtrack serve --open",
	Usage:   "show the store in a browser, and as JSON; nothing is written without --edit",
	Description: "Prints the address of the page and serves it until it is interrupted. Only this machine can reach\n" +
		"it unless --addr says otherwise; others need the token, which then is in the address. From another\n" +
		"machine, a tunnel is safer: ssh -L 8080:127.0.0.1:8080 HOST. Where others use this machine too,\n" +
		"--token new keeps them out: --open hands it to the browser in a file that only you can read. The page\n" +
		"is then below a random path. What is typed as --token TOKEN shows in lists of processes;\n" +
		"$" + tokenVariable + " does not.",
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var s serving
		return []cli.Flag{
			cmdline.StoreFlag(),
			cmdline.Optional(&s.addr, "addr", "listen on `HOST:PORT`; port 0 is any that is free",
				"127.0.0.1, and the store's own port while that is free"),
			cmdline.Flag(&s.edit, "edit", "let pages change names, tags and notes"),
			cmdline.Flag(&s.hosts, "host", "answer as the host `NAME`, too, which leads here, as that of a proxy; repeatable"),
			cmdline.Flag(&s.open, "open", "open the page in a browser"),
			cmdline.Optional(&s.token, "token", "require `TOKEN`; new generates one",
				"$"+tokenVariable+"; else none for this machine alone, a new one for others"),
		}, s.serve
	},
})

func (s *serving) serve(c *cli.Context) error {
	if err := cmdline.NoArgs(c, "podtrack serve --store FILE; the page itself has the filters"); err != nil {
		return err
	}
	token, err := parseToken(s.token)
	if err != nil {
		return err
	}
	store := cmdline.StoreWithin(c, cmdline.StorePath(c), servedWait)
	l, err := s.listen(store)
	if err != nil {
		return err
	}
	if err := announce(c, store); err != nil {
		l.Close()
		return err
	}
	if token == "" && !web.Local(l.Addr().String()) {
		token = web.NewToken()
	}
	address := addressOf(l, token)
	if _, err := fmt.Fprintln(c.App.Writer, address); err != nil {
		l.Close()
		return err
	}
	if s.open {
		defer cmdline.OpenBrowser(c, address, token != "")()
	}
	return web.Serve(c.Context, l, web.Options{Store: store, Execute: cmdline.ExecutorOf(c), Addr: l.Addr().String(),
		Hosts: s.hosts, Token: token, Edit: s.edit})
}

// listen listens where the user says, else on the port that a store has for itself as long as nobody else uses it, so
// that an address stays right.
func (s *serving) listen(store *tracker.Store) (net.Listener, error) {
	if s.addr == nil {
		path, err := filepath.Abs(store.Path())
		if err != nil {
			path = store.Path()
		}
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(path)) // it returns no error
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", firstPort+hash.Sum32()%ports))
		if err != nil {
			l, err = net.Listen("tcp", "127.0.0.1:0")
		}
		return l, err
	}
	addr, err := parseAddr(*s.addr)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, schema.Hint(err, "choose another port or host: --addr 127.0.0.1:0 takes any port that is free")
	}
	return l, nil
}

// The stores' own ports are below those that systems give out.
const (
	firstPort = 20_000
	ports     = 10_000
)

// parseAddr checks an address of the form HOST:PORT.
func parseAddr(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil || port == "" {
		return "", schema.Hint(fmt.Errorf("--addr: invalid value %q", text),
			"write HOST:PORT, such as 127.0.0.1:8080; 0.0.0.0:8080 lets other machines in")
	}
	return net.JoinHostPort(host, port), nil
}

// announce prints what is served. It accepts a store that does not exist yet or is locked, but not
// a file that is not a store.
func announce(c *cli.Context, store *tracker.Store) error {
	err := store.View(c.Context, func(*tracker.Tx) error { return nil })
	switch {
	case errors.Is(err, tracker.ErrNoStore):
		cmdline.PrintLine(c.App.ErrWriter,
			"there is no store %s yet; the page shows it once podtrack run makes it. Ctrl-C ends this.", store.Path())
	case err == nil, errors.Is(err, tracker.ErrLocked):
		how := "read-only"
		if c.Bool("edit") {
			how = "with names, tags and notes that pages can change"
		}
		cmdline.PrintLine(c.App.ErrWriter, "serving %s, %s. Ctrl-C ends it.", store.Path(), how)
	default:
		return err
	}
	return nil
}

// minToken is the minimum length of a token. A shorter one can be guessed.
const minToken = 16

// parseToken returns the token that clients must send, "" for the default.
func parseToken(given *string) (string, error) {
	token := os.Getenv(tokenVariable)
	if given != nil {
		token = cmp.Or(*given, token)
	}
	switch {
	case token == "new":
		return web.NewToken(), nil
	case token == "" && given != nil:
		return "", schema.Hint(errors.New("--token without a token"), "--token new generates one")
	case token != "" && len(token) < minToken:
		return "", schema.Hint(fmt.Errorf("a token of %d characters can be guessed", len(token)),
			"use at least %d; --token new generates one", minToken)
	case notInToken().MatchString(token):
		return "", schema.Hint(errors.New("a token with other characters than letters, digits, - and _"),
			"--token new generates one")
	}
	return token, nil
}

var notInToken = textfmt.Pattern(`[^0-9A-Za-z\-_]`)

// servedWait is the time that a request waits for a store that another process has locked. Then
// the page reports this and retries.
const servedWait = 5 * time.Second

// addressOf returns the URL to open. For a listener on all addresses, it contains the host name.
func addressOf(l net.Listener, token string) string {
	host, port, _ := net.SplitHostPort(l.Addr().String())
	if name, err := os.Hostname(); err == nil && net.ParseIP(host).IsUnspecified() {
		host = name
	}
	address := url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: "/"}
	if token != "" {
		address.RawQuery = url.Values{"token": {token}}.Encode()
	}
	return address.String()
}
