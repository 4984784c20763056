package client

import (
	"container/list"
	"sync"
)

// cache keeps the answers that were used last, with their ETags, within a number of bytes.
type cache struct {
	limit int64 // bytes

	mu    sync.Mutex
	used  int64
	order *list.List // of *keptAnswer, the latest in front
	at    map[string]*list.Element
}

type keptAnswer struct {
	address, tag string
	body         []byte
}

// size is how many bytes an answer takes, with its share of the map and the list.
func (k *keptAnswer) size() int64 { return int64(len(k.body)+len(k.address)+len(k.tag)) + 256 }

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

// keep stores an answer with a tag, unless it is larger than a quarter of the cache and would displace all others.
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

func (c *cache) drop(e *list.Element) {
	k := c.order.Remove(e).(*keptAnswer)
	delete(c.at, k.address)
	c.used -= k.size()
}
