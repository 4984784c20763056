package grants

// elsewhereISO holds the FIPS 10-4 country codes that mean another country in
// ISO 3166, with the name of that other country. A caller who thinks in ISO
// would get a plausible answer about the wrong place, so the answer says which
// country the code was read as.
var elsewhereISO = map[string]string{
	"AG": "Antigua and Barbuda", "AQ": "Antarctica", "AS": "American Samoa", "AT": "Austria", "AU": "Australia",
	"AX": "Åland Islands", "BA": "Bosnia and Herzegovina", "BD": "Bangladesh", "BF": "Burkina Faso", "BG": "Bulgaria",
	"BH": "Bahrain", "BL": "Saint Barthélemy", "BM": "Bermuda", "BN": "Brunei", "BO": "Bolivia",
	"BQ": "Caribbean Netherlands", "BS": "Bahamas", "BY": "Belarus", "CD": "Congo (Kinshasa)", "CF": "Central African Republic",
	"CG": "Congo (Brazzaville)", "CH": "Switzerland", "CI": "Côte d'Ivoire", "CK": "Cook Islands", "CN": "China",
	"CR": "Costa Rica", "CW": "Curaçao", "DO": "Dominican Republic", "ES": "Spain", "GA": "Gabon",
	"GB": "United Kingdom", "GG": "Guernsey", "GM": "Gambia", "GQ": "Equatorial Guinea", "IS": "Iceland",
	"KN": "Saint Kitts and Nevis", "KR": "South Korea", "LI": "Liechtenstein", "LS": "Lesotho", "LT": "Lithuania",
	"MA": "Morocco", "MC": "Monaco", "MF": "Saint Martin", "MG": "Madagascar", "MH": "Marshall Islands",
	"MN": "Mongolia", "MO": "Macau", "MP": "Northern Mariana Islands", "MQ": "Martinique", "MU": "Mauritius",
	"NE": "Niger", "NG": "Nigeria", "NI": "Nicaragua", "NU": "Niue", "PA": "Panama",
	"PF": "French Polynesia", "PG": "Papua New Guinea", "PM": "Saint Pierre and Miquelon", "PS": "Palestine", "RS": "Serbia",
	"SB": "Solomon Islands", "SC": "Seychelles", "SE": "Sweden", "SG": "Singapore", "SN": "Senegal",
	"ST": "São Tomé and Príncipe", "SV": "El Salvador", "SX": "Sint Maarten", "SZ": "Eswatini", "TD": "Chad",
	"TK": "Tokelau", "TL": "East Timor", "TN": "Tunisia", "TO": "Tonga", "TT": "Trinidad and Tobago",
	"VI": "US Virgin Islands", "ZA": "South Africa",
}
