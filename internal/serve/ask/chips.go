package ask

// Chips are the plan as people read it.
func (p *Plan) Chips() []Chip { return nil }
