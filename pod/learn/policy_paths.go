package learn

import (
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// FollowPolicy returns, for each state, the number of steps that a policy takes to T and the state in which it arrives,
// or [envs.Never] for both if it runs in a cycle. Where an action may lead to several states it follows the likeliest.
func FollowPolicy(m *envs.Model, policy []int8) (steps, ends []int32) {
	p := newPolicyPaths(m)
	p.follow(policy)
	return p.steps, p.ends
}

// policyPaths computes the paths of a policy, in memory that is reused for the next one.
type policyPaths struct {
	model             *envs.Model
	next, steps, ends []int32 // by state
}

func newPolicyPaths(m *envs.Model) *policyPaths {
	return &policyPaths{model: m, next: make([]int32, m.States), steps: make([]int32, m.States),
		ends: make([]int32, m.States)}
}

// Values of steps for a state that is not resolved yet, or is on the current path.
const (
	unresolved = -2
	onPath     = -3
)

// follow computes the paths of a policy. It visits every state at most four times. Most
// states lead to a neighbour that is resolved already if states are visited in one order
// or the other; going in both at once, the processor need not wait for either.
func (p *policyPaths) follow(policy []int8) {
	successors := p.model.AllSuccessors()
	for s, a := range policy {
		at := max(int(a), 0)
		p.next[s], p.ends[s] = successors[s*p.model.Actions+at], int32(s)
		p.steps[s] = unresolved &^ int32(a>>7) // 0 in T
	}
	for s := range policy {
		p.resolveFromSuccessor(s)
		p.resolveFromSuccessor(len(policy) - 1 - s)
	}
	p.resolveRemaining()
}

// resolveFromSuccessor resolves s if its successor is resolved.
func (p *policyPaths) resolveFromSuccessor(s int) {
	if p.steps[s] != unresolved {
		return
	}
	if n := p.next[s]; p.steps[n] >= 0 {
		p.steps[s], p.ends[s] = p.steps[n]+1, p.ends[n]
	}
}

// resolveRemaining follows the path from every state that is still unresolved.
func (p *policyPaths) resolveRemaining() {
	next, steps, ends := p.next, p.steps, p.ends
	for start := range steps {
		length, s := int32(0), int32(start)
		for ; steps[s] == unresolved; s = next[s] {
			steps[s] = onPath
			length++
		}
		n, end := steps[s], ends[s]
		cycle := n < 0
		for s := int32(start); steps[s] == onPath; s = next[s] {
			steps[s], ends[s] = n+length, end
			if cycle {
				steps[s], ends[s] = envs.Never, envs.Never
			}
			length--
		}
	}
}

// measure sets in c the lengths of the paths of an option, whose policy was followed and ends everywhere, from I.
func (p *policyPaths) measure(o *schema.Option, c *schema.Certificate) {
	total, starts := int64(0), int64(0)
	for s, n := range p.steps {
		if o.CanStart(s) {
			starts++
			total += int64(n)
			c.Longest = max(c.Longest, schema.PathLength(n))
		}
	}
	if starts > 0 {
		c.Reach = new(float64(total) / float64(starts))
	}
}

// TerminatingStates reports, by state, whether a policy may reach T, or the end of an
// episode, from it. If that holds for every state that the policy can visit, a finite
// chain terminates with probability 1.
func TerminatingStates(m *envs.Model, policy []int8) []bool {
	ends, before := make([]bool, m.States), make([][]int, m.States+1) // by state, and of a state behind T
	for s, a := range policy {
		if a == schema.Terminate {
			before[m.States] = append(before[m.States], s)
			continue
		}
		m.VisitSuccessors(s, int(a), func(n envs.Successor) {
			if n.Terminal {
				before[m.States] = append(before[m.States], s)
			}
			before[n.Next] = append(before[n.Next], s)
		})
	}
	steps := envs.CountSteps(m.States, m.States+1, func(s int, visit func(next int)) {
		for _, from := range before[s] {
			visit(from)
		}
	})
	for s := range ends {
		ends[s] = steps[s] != envs.Never
	}
	return ends
}
