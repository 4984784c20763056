package client

// WatchAnswer says how a list is watched.
type WatchAnswer struct {
	Head
	Watch ListWatch `json:"watch" doc:"How the list is watched now."`
	Tail
}

// ListWatch is how a list is watched.
type ListWatch struct {
	Watched bool          `json:"watched" doc:"Whether its organizations are compared after every change of the compliance lists and every build."`
	Edition *string       `json:"edition" doc:"Edition of the compliance lists that they were last compared with; null before the first time."`
	Build   *string       `json:"build" doc:"Build of the dataset that they were last compared with; null before the first time."`
	Atom    bool          `json:"atom" doc:"Whether there is an Atom feed."`
	AtomURL *string       `json:"atom_url,omitempty" doc:"Secret address of the feed; only in the answer that draws it." format:"uri"`
	Email   *WatchChannel `json:"email" doc:"The daily email; null without one."`
	Webhook *WatchChannel `json:"webhook" doc:"The webhook; null without one."`
}

// WatchChannel is a way by which alerts are sent.
type WatchChannel struct {
	Target   *string `json:"target" doc:"Address of the webhook; null for the email address of the account."`
	Failures int     `json:"failures" doc:"Failed tries since the last success."`
	Error    *string `json:"error" doc:"Why the last try failed; null after a success."`
	Stopped  bool    `json:"stopped" doc:"Whether it was given up after too many failures. Set it again to go on."`
}

// WatchRequest is the body of a request that changes how a list is watched. What is absent stays as it is.
type WatchRequest struct {
	Watched *bool   `json:"watched,omitempty" doc:"Whether the list is watched. false ends the email, the webhook and the Atom feed too."`
	Email   *bool   `json:"email,omitempty" doc:"Whether alerts are sent to the address of the account, once a day at most."`
	Webhook *string `json:"webhook,omitempty" doc:"Public https address to which alerts are sent; empty for none."`
	Atom    *bool   `json:"atom,omitempty" doc:"true draws a new secret address of the Atom feed, which ends the one before; false ends the feed."`
}

// Alert says what changed for an organization of a watched list.
type Alert struct {
	ID        int64   `json:"id" doc:"Names the alert; later alerts of a list have higher numbers."`
	At        string  `json:"at" doc:"When the service found the change." format:"date-time"`
	Kind      string  `json:"kind" doc:"What changed, such as revoked, off_pub78, sanctions_match, name_changed or new_grants. New kinds may be added."`
	Title     string  `json:"title" doc:"The kind in words."`
	Text      string  `json:"text" doc:"What changed, as a sentence."`
	Source    string  `json:"source" doc:"The compliance list, matches for names like those on the sanctions list, or builds for the filings."`
	EIN       *string `json:"ein" doc:"The organization; null for an alert about the whole list."`
	Name      string  `json:"name" doc:"Its name; empty for an alert about the whole list."`
	Reference *string `json:"reference" doc:"Number of the sanctioned entity; null for other kinds."`
	Was       string  `json:"was" doc:"What it was before; empty if it was not on the list, or nothing is named."`
	Now       string  `json:"now" doc:"What it is now; empty where nothing is named."`
	Count     int64   `json:"count" doc:"How many returns or grants; 0 for other kinds."`
	From      string  `json:"from" doc:"Edition of the compliance lists, or build, that was compared with."`
	To        string  `json:"to" doc:"Edition or build in which the change was found."`
	URL       *string `json:"url" doc:"Page of the organization; null for an alert about the whole list."`
}

// WatchDelivery is what a webhook receives.
type WatchDelivery struct {
	ID       string  `json:"id" doc:"Names the delivery. If it is repeated with the same alerts, it has the same ID; the IDs of alerts never change."`
	Type     string  `json:"type" enum:"alerts,test" doc:"alerts, or test for a delivery that the owner of the list asked for."`
	List     string  `json:"list" doc:"ID of the list."`
	ListName string  `json:"list_name"`
	Alerts   []Alert `json:"alerts" doc:"The next alerts, oldest first."`
}
