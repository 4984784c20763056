package client

// WatchAnswer says how a list is watched.
type WatchAnswer struct {
	Head
	Watch ListWatch `json:"watch" doc:"How the list is currently watched."`
	Tail
}

// ListWatch is how a list is watched.
type ListWatch struct {
	Watched bool          `json:"watched" doc:"Whether we check the list's organizations after every change of the compliance lists and every new build."`
	Edition *string       `json:"edition" doc:"Edition of the compliance lists that the list's organizations were last checked against; …"`
	Build   *string       `json:"build" doc:"Build of the dataset that the list's organizations were last checked against; null before the first check."`
	Atom    bool          `json:"atom" doc:"Whether the list has an Atom feed."`
	AtomURL *string       `json:"atom_url,omitempty" doc:"Secret URL of the feed. Present only in the response that creates the URL." format:"uri"`
	Email   *WatchChannel `json:"email" doc:"The daily email; null if there is none."`
	Webhook *WatchChannel `json:"webhook" doc:"The webhook; null if there is none."`
}

// WatchChannel is a way by which alerts are sent.
type WatchChannel struct {
	Target   *string `json:"target" doc:"URL of the webhook; null if alerts go to the account's email address."`
	Failures int     `json:"failures" doc:"Failed deliveries since the last success."`
	Error    *string `json:"error" doc:"Why the last delivery failed; null after a success."`
	Stopped  bool    `json:"stopped" doc:"Whether we stopped sending after too many failures. To resume, set the channel again."`
}

// WatchRequest is the body of a request that changes how a list is watched. What is absent stays as it is.
type WatchRequest struct {
	Watched *bool   `json:"watched,omitempty" doc:"Whether the list is watched. false also turns off the email, the webhook and the Atom feed."`
	Email   *bool   `json:"email,omitempty" doc:"Whether to email alerts to the account's address, at most once a day."`
	Webhook *string `json:"webhook,omitempty" doc:"Public https URL to send alerts to. An empty string removes the webhook."`
	Atom    *bool   `json:"atom,omitempty" doc:"true: creates a new secret URL for the Atom feed and disables the old one. false: turns off the feed."`
}

// Alert says what changed for an organization of a watched list.
type Alert struct {
	ID        int64   `json:"id" doc:"ID of the alert. Later alerts of a list have higher IDs."`
	At        string  `json:"at" doc:"When we found the change." format:"date-time"`
	Kind      string  `json:"kind" doc:"Type of change, such as revoked, off_pub78, sanctions_match, name_changed or new_grants. We may add new types."`
	Title     string  `json:"title" doc:"Label for the type of change."`
	Text      string  `json:"text" doc:"Description of the change, as a sentence."`
	Source    string  `json:"source" doc:"ID of the compliance list, matches for names similar to those on the sanctions list, or builds for filings."`
	EIN       *string `json:"ein" doc:"EIN of the organization; null for an alert about the whole list."`
	Name      string  `json:"name" doc:"Name of the organization; empty for an alert about the whole list."`
	Reference *string `json:"reference" doc:"Number of the sanctioned entity; null for other types of change."`
	Was       string  `json:"was" doc:"Previous value; empty if the organization was not on the list or the change has no value."`
	Now       string  `json:"now" doc:"New value; empty if the change has no value."`
	Count     int64   `json:"count" doc:"Number of returns or grants; 0 for other types of change."`
	From      string  `json:"from" doc:"Earlier edition of the compliance lists, or earlier build, that was compared."`
	To        string  `json:"to" doc:"Edition or build in which we found the change."`
	URL       *string `json:"url" doc:"URL of the organization's page; null for an alert about the whole list."`
}

// WatchDelivery is what a webhook receives.
type WatchDelivery struct {
	ID       string  `json:"id" doc:"ID of the delivery. A retry with the same alerts has the same ID. Alert IDs never change."`
	Type     string  `json:"type" enum:"alerts,test" doc:"alerts, or test for a delivery that the list's owner requested."`
	List     string  `json:"list" doc:"ID of the list."`
	ListName string  `json:"list_name"`
	Alerts   []Alert `json:"alerts" doc:"The next alerts, oldest first."`
}
