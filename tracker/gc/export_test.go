package gc

// Result returns the dropped records.
func (p *Pruner) Result() PruneReport { return p.result() }

// BatchSize returns the size of the collected records and rows in bytes.
func (p *Pruner) BatchSize() int64 {
	if p.batch == nil {
		return 0
	}
	return p.batch.size
}
