package client

import (
	"container/list"
	"sync"
)

// cache keeps answers with their ETags, those that were asked for last, in so
// many bytes.
type cache struct {
	limit int64 // bytes

	mu    sync.Mutex
	used  int64
	order *list.List // of *keptAnswer, the latest in front
	at    map[string]*list.Element
}

// keptAnswer is one answer.
type keptAnswer struct {
	address, tag string
	body         []byte
}

// size is what it takes, with its share of the map and the list.
func (k *keptAnswer) size() int64 { return int64(len(k.body)+len(k.address)+len(k.tag)) + 256 }

func newCache(limit int64) *cache {
	return &cache{limit: limit, order: list.New(), at: map[string]*list.Element{}}
}

// find is the answer that an address gave, nil when it is not kept.
func (c *cache) find(address string) *keptAnswer {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.at[address]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*keptAnswer)
}

// keep keeps an answer in the place of an earlier one. What has no tag, or is
// larger than a quarter of all, is not kept: it would displace all others.
func (c *cache) keep(address, tag string, body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := &keptAnswer{address, tag, body}
	if e := c.at[address]; e != nil {
		c.drop(e)
	}
	if tag == "" || k.size() > c.limit/4 {
		return
	}
	c.at[address] = c.order.PushFront(k)
	for c.used += k.size(); c.used > c.limit; {
		c.drop(c.order.Back())
	}
}

// drop forgets an answer.
func (c *cache) drop(e *list.Element) {
	k := c.order.Remove(e).(*keptAnswer)
	delete(c.at, k.address)
	c.used -= k.size()
}
