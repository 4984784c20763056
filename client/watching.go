package client

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
	ID       string  `json:"id" doc:"Names the delivery. A delivery that is repeated has the same ID."`
	Type     string  `json:"type" enum:"alerts,test" doc:"alerts, or test for a delivery that the owner of the list asked for."`
	List     string  `json:"list" doc:"ID of the list."`
	ListName string  `json:"list_name"`
	Alerts   []Alert `json:"alerts" doc:"The next alerts, oldest first."`
}
