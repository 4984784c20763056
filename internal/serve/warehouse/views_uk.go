package warehouse

import "grantgraph/internal/snapshot"

const (
	trapUK     = "England and Wales only, amounts in pounds. The key is registered_charity_number: UK rows do not join to grants on an EIN, and a join by name is a candidate, not a match."
	trapLinked = "A main charity and the charities linked to it share the registered number; take linked_charity_number = 0 for main charities."
	number     = "registered_charity_number"
	linked     = "linked_charity_number"
)

func numberCol() Column { return col(number, bigint, "Number of the charity in the register.") }
func linkedCol() Column { return col(linked, bigint, "Number of a linked charity; 0 is the main one.") }

var ukViews = []View{
	{
		Name: snapshot.UKCharities, Group: groupUK, order: number + ", " + linked,
		Meaning: "Charities of England and Wales, registered or removed.",
		Columns: []Column{
			numberCol(), linkedCol(),
			col("charity_name", text, "Name."),
			col("charity_registration_status", text, "'Registered' or 'Removed'."),
			opt("charity_type", text, "Legal form."),
			opt("date_of_registration", date, "Day of registration."),
			opt("date_of_removal", date, "Day of removal."),
			opt("latest_income", double, "Income of the latest year, pounds."),
			opt("latest_expenditure", double, "Expenditure of the latest year, pounds."),
			opt("charity_contact_address1", text, "Address, first line."),
			opt("charity_contact_address2", text, "Address, second line."),
			opt("charity_contact_address3", text, "Address, third line."),
			opt("charity_contact_address4", text, "Address, fourth line."),
			opt("charity_contact_address5", text, "Address, fifth line."),
			opt("charity_contact_postcode", text, "Postcode."),
			opt("charity_contact_web", text, "Web site."),
			opt("charity_activities", text, "What it does, in its own words."),
			opt("charity_company_registration_number", text, "Number in the register of companies."),
			opt("charity_insolvent", boolean, "It is insolvent."),
			opt("charity_in_administration", boolean, "It is in administration."),
			opt("charity_is_cio", boolean, "It is a charitable incorporated organisation."),
			opt("charity_gift_aid", boolean, "It reclaims tax on gifts."),
			opt("charity_has_land", boolean, "It owns or leases land."),
		},
		Traps: []string{trapUK, trapLinked, "For live charities filter charity_registration_status = 'Registered'. Email addresses and telephone numbers are not kept."},
		Examples: []Example{
			{"Which charities are largest?", "SELECT registered_charity_number, charity_name, latest_income\nFROM uk_charity\nWHERE linked_charity_number = 0 AND charity_registration_status = 'Registered'\nORDER BY latest_income DESC NULLS LAST\nLIMIT 25"},
			{"Which name a cause?", "SELECT charity_name, charity_contact_postcode FROM uk_charity WHERE linked_charity_number = 0 AND charity_activities ILIKE '%homeless%' LIMIT 50"},
		},
	},
	{
		Name: snapshot.UKFinances, Group: groupUK, order: number + ", fin_period_end_date",
		Meaning: "The headline of each year's accounts of a main charity.",
		Columns: []Column{
			numberCol(),
			opt("fin_period_start_date", date, "First day of the period."),
			opt("fin_period_end_date", date, "Last day of the period."),
			opt("total_gross_income", double, "Income, pounds."),
			opt("total_gross_expenditure", double, "Expenditure, pounds."),
			opt("date_accounts_received", date, "Day the accounts arrived."),
			opt("accounts_qualified", boolean, "The auditor qualified them."),
		},
		Traps: []string{trapUK},
		Examples: []Example{
			{"How has income moved?", "SELECT year(fin_period_end_date) AS year, sum(total_gross_income) AS pounds, count(*) AS charities FROM uk_charity_finance GROUP BY 1 ORDER BY 1"},
			{"Whose accounts were qualified?", "SELECT c.charity_name, f.fin_period_end_date, f.total_gross_income\nFROM uk_charity_finance f JOIN uk_charity c USING (registered_charity_number)\nWHERE f.accounts_qualified AND c.linked_charity_number = 0\nORDER BY f.total_gross_income DESC NULLS LAST\nLIMIT 25"},
		},
	},
	{
		Name: snapshot.UKClassifications, Group: groupUK, order: number,
		Meaning: "What a charity does, whom it helps and how.",
		Columns: []Column{
			numberCol(), linkedCol(),
			col("classification_type", text, "'What', 'Who' or 'How'."),
			opt("classification_description", text, "The class."),
		},
		Traps: []string{trapUK, trapLinked, "A charity has many rows; count DISTINCT registered_charity_number."},
		Examples: []Example{
			{"What do charities do?", "SELECT classification_description, count(DISTINCT registered_charity_number) AS charities FROM uk_charity_classification WHERE classification_type = 'What' GROUP BY 1 ORDER BY 2 DESC"},
			{"Who makes grants to organisations?", "SELECT registered_charity_number FROM uk_charity_classification WHERE classification_type = 'How' AND classification_description ILIKE '%grants to organisations%' LIMIT 100"},
		},
	},
	{
		Name: snapshot.UKAreas, Group: groupUK, order: number,
		Meaning: "Areas in which a charity works.",
		Columns: []Column{
			numberCol(), linkedCol(),
			opt("geographic_area_type", text, "Kind of area: region, local authority, country."),
			col("geographic_area_description", text, "The area."),
			opt("parent_geographic_area_type", text, "Kind of the area it lies in."),
			opt("parent_geographic_area_description", text, "The area it lies in."),
		},
		Traps: []string{trapUK, trapLinked},
		Examples: []Example{
			{"Where do charities work abroad?", "SELECT geographic_area_description, count(DISTINCT registered_charity_number) AS charities FROM uk_charity_area WHERE geographic_area_type ILIKE 'country' GROUP BY 1 ORDER BY 2 DESC LIMIT 25"},
			{"Which areas lie in which?", "SELECT DISTINCT parent_geographic_area_description, geographic_area_description FROM uk_charity_area WHERE parent_geographic_area_description IS NOT NULL ORDER BY ALL LIMIT 200"},
		},
	},
	{
		Name: snapshot.UKOtherNames, Group: groupUK, order: number,
		Meaning: "Working names and previous names.",
		Columns: []Column{
			numberCol(), linkedCol(),
			opt("charity_name_type", text, "'Working name' or 'Previous name'."),
			opt("charity_name", text, "The name."),
		},
		Traps: []string{trapUK, trapLinked},
		Examples: []Example{
			{"What was a charity called before?", "SELECT charity_name FROM uk_charity_other_name WHERE charity_name_type = 'Previous name' LIMIT 50"},
			{"Which charity uses a name?", "SELECT c.registered_charity_number, c.charity_name, n.charity_name AS also_known_as\nFROM uk_charity_other_name n JOIN uk_charity c USING (registered_charity_number, linked_charity_number)\nWHERE n.charity_name ILIKE '%trust%'\nLIMIT 50"},
		},
	},
	{
		Name: snapshot.UKDocuments, Group: groupUK, order: number,
		Meaning: "The governing document of a charity.",
		Columns: []Column{
			numberCol(), linkedCol(),
			opt("charitable_objects", text, "Its objects."),
			opt("governing_document_description", text, "What the document is."),
			opt("area_of_benefit", text, "Where it may work."),
		},
		Traps: []string{trapUK, trapLinked},
		Examples: []Example{
			{"Whose objects speak of something?", "SELECT registered_charity_number, charitable_objects FROM uk_charity_governing_document WHERE charitable_objects ILIKE '%young people%' LIMIT 25"},
			{"Which areas of benefit are common?", "SELECT area_of_benefit, count(*) AS charities FROM uk_charity_governing_document WHERE area_of_benefit IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT 25"},
		},
	},
	{
		Name: snapshot.UKPolicies, Group: groupUK, order: number,
		Meaning: "Policies that a charity has in place.",
		Columns: []Column{numberCol(), linkedCol(), col("policy_name", text, "The policy.")},
		Traps:   []string{trapUK, trapLinked},
		Examples: []Example{
			{"Which policies are common?", "SELECT policy_name, count(*) AS charities FROM uk_charity_policy GROUP BY 1 ORDER BY 2 DESC"},
			{"Who has no policy on safeguarding?", "SELECT c.registered_charity_number, c.charity_name\nFROM uk_charity c\nWHERE c.linked_charity_number = 0 AND c.charity_registration_status = 'Registered'\n  AND NOT EXISTS (SELECT 1 FROM uk_charity_policy p WHERE p.registered_charity_number = c.registered_charity_number AND p.policy_name ILIKE '%safeguarding%')\nLIMIT 50"},
		},
	},
	{
		Name: snapshot.UKEvents, Group: groupUK, order: number,
		Meaning: "Events in the life of a charity: registration, removal, merger.",
		Columns: []Column{
			numberCol(), linkedCol(),
			col("event_type", text, "What happened."),
			opt("date_of_event", date, "When."),
			opt("reason", text, "Why."),
			opt("assoc_registered_charity_number", bigint, "The other charity concerned."),
		},
		Traps: []string{trapUK, trapLinked},
		Examples: []Example{
			{"Why are charities removed?", "SELECT reason, count(*) AS charities FROM uk_charity_event WHERE event_type ILIKE '%remov%' GROUP BY 1 ORDER BY 2 DESC"},
			{"What happened in a year?", "SELECT event_type, count(*) AS events FROM uk_charity_event WHERE year(date_of_event) = 2023 GROUP BY 1 ORDER BY 2 DESC"},
		},
	},
	{
		Name: snapshot.UKReports, Group: groupUK, order: number,
		Meaning: "Index of reports that the regulator has published on a charity.",
		Columns: []Column{
			opt("date_of_extract", date, "Day of the extract."),
			opt("organisation_number", bigint, "The regulator's own number."),
			numberCol(), linkedCol(),
			opt("report_name", text, "Title."),
			opt("report_location", text, "Where to read it."),
			opt("date_published", date, "Day of publication."),
		},
		Traps: []string{trapUK, "Its columns follow the register's index and may grow; use DESCRIBE."},
		Examples: []Example{
			{"What are its columns?", "DESCRIBE uk_charity_published_report"},
			{"Which reports are newest?", "SELECT registered_charity_number, report_name, date_published FROM uk_charity_published_report ORDER BY date_published DESC NULLS LAST LIMIT 20"},
		},
	},
	{
		Name: snapshot.UKIngests, Group: groupUK, order: "table_name",
		Meaning: "Where the rows of each UK table came from.",
		Columns: []Column{
			opt("date_of_extract", date, "Day of the extract."),
			col("source", text, "Address upstream."),
			opt("staged_at", timestamp, "When the extract was packed."),
			col("table_name", text, "The table."),
			col("row_count", bigint, "Rows in it."),
		},
		Traps: []string{"It describes the UK tables only; the rest of the dataset is described by /meta."},
		Examples: []Example{
			{"How old is the register?", "SELECT max(date_of_extract) AS as_of FROM uk_ingest_meta"},
			{"How large are its tables?", "SELECT table_name, row_count FROM uk_ingest_meta ORDER BY row_count DESC"},
		},
	},
	{
		Name: snapshot.UKTrustees, Group: groupUK, Pro: true, order: number + ", trustee_id",
		Meaning: "Seats on the boards of charities.",
		Columns: []Column{
			numberCol(), linkedCol(),
			col("trustee_id", bigint, "The register's own number, the same on every board."),
			opt("trustee_name", text, "Name."),
			opt("trustee_is_chair", boolean, "In the chair."),
			opt("individual_or_organisation", text, "'P', a person, or 'O', an organisation."),
			opt("trustee_date_of_appointment", date, "Since when."),
		},
		Traps: []string{trapUK, trapLinked, "Follow a person by trustee_id, not by name."},
		Examples: []Example{
			{"Who sits on most boards?", "SELECT trustee_id, any_value(trustee_name) AS name, count(*) AS boards FROM uk_charity_trustee WHERE linked_charity_number = 0 GROUP BY 1 ORDER BY boards DESC, trustee_id LIMIT 25"},
			{"How large is a board?", "SELECT median(n) AS typical FROM (SELECT count(*) AS n FROM uk_charity_trustee WHERE linked_charity_number = 0 GROUP BY registered_charity_number)"},
		},
	},
	{
		Name: snapshot.UKBoardEdges, Group: groupUK, Pro: true, order: "e1, e2",
		Meaning: "Pairs of registered main charities that share trustees.",
		Columns: []Column{
			col("e1", bigint, "Number of one charity, the smaller."),
			col("e2", bigint, "Number of the other."),
			col("shared", bigint, "Trustees in both."),
			col("weight", double, "The same, where trustees who sit on few boards count for more."),
			col("overlap", double, "Shared over the size of the smaller board."),
			col("tie_kind", text, "'interlock', 'family' or 'affiliated'."),
			col("structural", boolean, "The tie follows from how the charities are set up."),
		},
		Traps: []string{trapUK, "For ties worth showing filter tie_kind = 'interlock' AND NOT structural. Each pair is stored once: ask for both directions."},
		Examples: []Example{
			{"Which charities are most closely tied?", "SELECT e1, e2, shared, overlap FROM uk_board_edge WHERE tie_kind = 'interlock' AND NOT structural ORDER BY weight DESC LIMIT 25"},
			{"Who is tied to most others?", "SELECT charity, count(*) AS ties\nFROM (SELECT e1 AS charity, tie_kind, structural FROM uk_board_edge UNION ALL SELECT e2, tie_kind, structural FROM uk_board_edge)\nWHERE tie_kind = 'interlock' AND NOT structural\nGROUP BY charity\nORDER BY ties DESC\nLIMIT 25"},
		},
	},
}
