// Package web serves a store to browsers and programs: the documents that commands print with --format html, with links
// between them, and every other form in which commands answer. It changes nothing but names, tags and notes, and those
// only where [Options] let it.
//
// [Serve] answers on a listener until its context is done. A request becomes a command line, which the program executes
// in this process; what it prints is the answer. Only commands and flags that are declared as served can be asked for
// (Served of cmdline.Command), and no part of a request becomes a file's path. An answer is computed once for all who
// ask, kept while its runs stay as they are, and given up when nobody waits for it. Connections are bounded: a silent
// one is closed for the next client, and one that reads slowly delays no other.
//
// # What a client can rely on
//
// An address is a command line: /show?of=rooms&exploration=true is podtrack show rooms --exploration. Each value of
// "of" is an argument; q has a filter as one types it, and other words of it are looked for in names, tags and notes;
// / is /ls; a command of two words has a hyphen between them, /plot-coverage; every other parameter is a flag.
// Addresses are relative to the folder of the page, so they stay right below a path of a proxy.
//
// With json=true the answer is what the command prints with --json, of which podtrack help json has the fields. format
// names another of its forms, of a figure svg, png, pdf, csv, txt and tex; the default is html, a page of this site,
// which with file=true is a document that needs no other file. An answer has an ETag, which stays the same while the
// runs that it is about do, of a list while the store does; If-None-Match with it is answered by 304. A difference that
// the command reports by its exit status is 200 here. A page that takes over two seconds is answered by 202, with how
// far it is, and asks again (Refresh); other forms wait.
//
// GET /events is a text/event-stream with an event "change" at the start and whenever the store has another state; its
// file is looked at twice a second. There may have been many changes between two events.
//
// A refusal is {"error": "…", "remedy": "…"}, what failed and how to mend it, or a page that says so if a browser asks:
//
//	400  the request is invalid: a filter, a reference, a parameter that the command does not take
//	401  the token is missing or wrong
//	403  the request names another host, or comes from another page
//	404  there is no such page, no store yet, or no such run, iteration or option
//	405  a method other than GET and HEAD; POST is for /label, where pages may change something
//	409  it exists but cannot be delivered: pruned, damaged, not comparable, more runs or states than are served at once
//	414  an address of more than 8 KiB
//	503  the store is locked, or too much is asked at once; ask again after Retry-After
//
// # Who may ask
//
//   - The Host must be the address that the server listens on, a name of [Options.Hosts], or localhost, 127.0.0.1 or
//     [::1] with any port, for tunnels. A server for other machines also accepts any IP address, and the name of this
//     machine. So no foreign name can be made to lead here.
//   - An Origin, if there is one, must be the same. Requests that a browser marks as coming from another page are
//     refused, except for a link to a page.
//   - With a token, which a server for other machines always has, a program sends Authorization: Bearer TOKEN. A
//     browser asks with ?token= once, gets a cookie, and is led to the address without the token, below a random path.
//     Browsers send a cookie to every port of a host, but only below its path, so servers of other users do not see it.
//     It does not hold the token.
//   - At most 16 lists and runs, 2 comparisons or audits, and a figure on each processor are computed at once; at most
//     64 clients follow events, and 256 connections are open (fewer if ulimit -n is small).
package web
