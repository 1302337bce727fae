package external

import (
	"errors"
	"os"
	"runtime"
	"time"
)

// launch starts the program between two pipes of package os, which have deadlines.
func (p *process) launch() error {
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirIn.Close()
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, ourOut.Close())
	}
	defer theirOut.Close()
	enlargePipe(theirOut)
	enlargePipe(ourOut)
	p.cmd.Stdin, p.cmd.Stdout = theirIn, theirOut
	p.stdin, p.stdout = ourOut, ourIn
	started := make(chan error)
	go p.supervise(started)
	if err := <-started; err != nil {
		ourOut.Close()
		ourIn.Close()
		return err
	}
	return nil
}

// supervise starts the program in a thread that lasts as long as it does, and detects its exit
// even if a child still holds its stdout open.
func (p *process) supervise(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err != nil {
		started <- err
		return
	}
	pid := p.cmd.Process.Pid
	started <- nil
	if awaitExit(pid) {
		close(p.ended)
		p.setDeadline(grace)
	}
}

// hasEnded reports whether the program has exited by itself, or does so within the given time.
func (p *process) hasEnded(within time.Duration) bool {
	select {
	case <-p.ended:
		return true
	default:
	}
	if within <= 0 {
		return false
	}
	select {
	case <-p.ended:
		return true
	case <-time.After(within):
		return false
	}
}
