package synth

import "strings"

// list splits a word list written as running text, which keeps hundreds of
// words readable in the source.
func list(s string) []string { return strings.Fields(s) }

// lines splits a list of phrases, one on a line.
func lines(s string) []string {
	out := strings.Split(strings.TrimSpace(s), "\n")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// The people of the world are put together from ordinary American names, so
// that a person classifier has something honest to learn from.
var (
	surnames = list(`
Abbott Acosta Adkins Aguilar Alder Alvarado Amory Anderson Andrade Applegate Archer Armstrong Ashby Atwater Avery
Bailey Baldwin Ballard Banks Barker Barlow Barnett Barron Bartlett Bassett Bauer Beasley Becker Bellamy Bennett Benson
Bergman Berry Bishop Blackwell Blair Blanchard Boggs Bolton Bowman Boyd Bradford Bradley Brandt Brennan Brewer Bridger
Briggs Bristow Brooks Broussard Brown Bryson Buchanan Burgess Burke Burnett Burroughs Byers Cabrera Caldwell Calhoun
Callahan Cameron Campbell Cannon Cardenas Carlisle Carlson Carpenter Carrillo Carver Castillo Chandler Chang Chapman
Chavez Chen Choi Christensen Clark Clayton Clements Cochran Coffey Colby Coleman Collier Conley Connolly Contreras
Conway Cooper Corbett Cortez Coughlin Covington Crandall Crawford Crosby Cruz Cummings Cunningham Currier Dalton Daniels
Davenport Davila Dawson Decker Delaney Delgado Dempsey Denton Dickerson Dillon Dixon Dodson Donahue Donovan Dorsey
Dougherty Drake Duarte Dudley Duffy Duncan Dunlap Durham Dwyer Eastman Eaton Edwards Egan Eldridge Elliott Ellison
Emerson English Erickson Espinoza Estes Evans Everett Fairbanks Farley Farrell Faulkner Fenton Ferguson Fields Figueroa
Finch Finley Fischer Fitzgerald Fleming Fletcher Flynn Forrester Foster Fowler Franklin Frazier Freeman Frost Fuentes
Fuller Gaines Gallagher Galloway Gamble Garcia Gardner Garrison Gates Gentry Gibbons Gilbert Gilmore Glass Glover Goff
Gonzalez Goodwin Gould Graham Granger Graves Grayson Greenwood Greer Griffin Grimes Guerrero Gustafson Guthrie Hadley
Hagen Haley Halstead Hammond Hampton Hancock Hansen Hardin Harmon Harper Harrell Harrington Hartley Hastings Hatcher
Hayden Haynes Heath Hebert Henderson Hendricks Henning Herrera Herring Hewitt Hickman Higgins Hightower Hobbs Hodges
Hoffman Hogan Holbrook Holcomb Holland Holloway Holmes Hooper Hopkins Horton Houston Howell Hubbard Huff Huffman Hughes
Humphrey Hurley Hutchins Ibarra Ingram Irwin Jacobs Jarvis Jefferson Jennings Jensen Jimenez Johansen Johnson Jordan
Joyner Kaufman Keating Keller Kemp Kendrick Kennedy Kessler Kim Kimball Kincaid Kirby Kirkland Klein Knapp Knight
Knowles Koch Kramer Lambert Landry Langford Larkin Larsen Latham Lawson Leary Ledford Lehman Leonard Leslie Levine Lewis
Lindgren Lindsey Livingston Lockhart Logan Lombard Lowell Lozano Lucero Ludwig Lyman Lyons Mabry MacArthur Mack Madden
Maddox Malone Mann Manning Marks Marsh Marshall Martinez Mathis Maxwell Mayfield Maynard McBride McCall McCarthy McClure
McCormick McCoy McDaniel McDowell McGrath McGuire McIntyre McKay McKenna McLean McMillan Meadows Medina Mejia Melton
Mendoza Mercer Merrill Meyer Middleton Miles Miller Mitchell Molina Monroe Montoya Moody Morales Moran Morrow Morse
Moss Mueller Mullen Munoz Murdock Murray Myers Nance Navarro Neal Nelson Newell Newman Nguyen Nichols Nielsen Nolan
Norris Norwood Novak Nunez Oakley Ochoa Odom Oliver Olsen Orr Ortega Osborne Overton Owens Pace Pacheco Padgett Paine
Palmer Park Parrish Patel Patterson Patton Paxton Payne Pearson Peck Pemberton Pena Perkins Perry Petersen Phelps
Phillips Pickett Pierce Pike Pittman Platt Pollard Pope Porter Potter Powell Prescott Preston Price Proctor Pruitt
Purcell Quinn Ramirez Ramsey Randall Rangel Rasmussen Ratliff Raymond Reeves Reilly Reyes Reynolds Rhodes Richards
Ridgeway Riggs Rios Ritter Rivera Roberson Robinson Rocha Rogers Rollins Roman Rosales Rosen Rowe Rowland Rubin Rush
Russell Rutledge Ryan Salas Salinas Sampson Sanborn Sanders Sandoval Sargent Saunders Sawyer Schaefer Schmidt Schneider
Schroeder Schultz Schwartz Sellers Serrano Sexton Shaffer Shah Shannon Sharp Shaw Shelton Shepherd Sheridan Sherman
Sherwood Shields Shoemaker Sierra Silva Simmons Sinclair Singh Skinner Slater Sloan Small Smith Snow Snyder Solis Soto
Spence Spencer Stafford Stanton Stark Steele Stein Stephens Sterling Stevenson Stokes Stone Stout Strickland Strong Stuart
Suarez Sullivan Sutton Swanson Sweeney Talbot Tate Taylor Terrell Thatcher Thayer Thomas Thompson Thornton Tillman
Tobin Torres Townsend Travis Trevino Tucker Turner Tyler Underwood Upton Valdez Valencia Vance Vargas Vaughn Vega
Velasquez Vincent Voss Wade Wagner Wakefield Walden Walker Wallace Waller Walsh Walton Ward Warner Warren Washburn
Waters Watkins Weaver Webb Weber Webster Weiss Welch Wells Werner Weston Wheeler Whitaker Whitcomb Whitfield Whitley
Whitman Whitmore Wiggins Wilcox Wilder Wilkerson Wilkins Willard Williams Willis Winslow Winston Winters Wise Wolfe
Wong Woodard Woodruff Woodward Wooten Worthington Wright Wyatt Yang Yates York Young Zamora Ziegler Zimmerman`)

	givenWomen = list(`
Abigail Ada Adele Agnes Alice Alicia Alma Amanda Amelia Amy Ana Andrea Angela Anita Anna Anne Annette Arlene Ashley
Audrey Barbara Beatrice Bernice Beth Betty Beverly Bonnie Brenda Bridget Camille Carla Carmen Carol Caroline Carrie
Catherine Cecilia Charlotte Cheryl Christina Cindy Claire Clara Connie Constance Cora Corinne Crystal Cynthia Daisy Dana
Danielle Darlene Deborah Denise Diana Diane Dolores Donna Doris Dorothy Edith Edna Eileen Elaine Eleanor Elena Elise
Elizabeth Ellen Eloise Elsie Emily Emma Erica Erin Esther Ethel Eva Evelyn Faith Faye Felicia Florence Frances Gail
Geneva Georgia Geraldine Gertrude Ginger Gladys Glenda Gloria Grace Greta Gwendolyn Hannah Harriet Hazel Heather Heidi
Helen Holly Hope Ida Ingrid Irene Iris Irma Isabel Jacqueline Jane Janet Janice Jasmine Jean Jeanette Jennifer Jessica
Jill Joan Joanne Jocelyn Josephine Joy Joyce Juanita Judith Julia Julie June Karen Katherine Kathleen Kathryn Kay Kelly
Kendra Kimberly Kristen Laura Lauren Leah Lena Leona Leslie Lillian Linda Lisa Lois Lorena Loretta Lorraine Louise Lucia
Lucille Lucy Lydia Lynn Mabel Madeline Marcia Margaret Maria Marian Marie Marilyn Marion Marjorie Marlene Marsha Martha
Mary Maureen Maxine Megan Melanie Melissa Meredith Michelle Mildred Millie Miriam Molly Monica Muriel Myrtle Nadia Nancy
Naomi Natalie Nellie Nicole Nina Nora Norma Olga Olivia Opal Pamela Patricia Paula Pauline Pearl Peggy Penelope Phyllis
Priscilla Priya Rachel Ramona Rebecca Regina Renee Rhonda Rita Roberta Robin Rosa Rosalie Rose Rosemary Ruby Ruth Sabrina
Sally Samantha Sandra Sarah Selma Shannon Sharon Sheila Shirley Simone Sonia Sophia Stacy Stella Stephanie Sue Susan
Sylvia Tamara Tanya Teresa Thelma Theresa Tina Tracy Valerie Vanessa Vera Veronica Victoria Viola Violet Virginia Vivian
Wanda Wendy Wilma Winifred Yolanda Yvonne Zoe`)

	givenMen = list(`
Aaron Adam Adrian Alan Albert Alec Alejandro Alexander Alfred Allen Alvin Amos Andre Andrew Angelo Anthony Antonio Archie
Arnold Arthur Austin Barry Benjamin Bernard Brandon Brent Brian Bruce Bryan Byron Caleb Calvin Cameron Carl Carlos Cecil
Cedric Chad Charles Chester Christian Christopher Clarence Clark Claude Clayton Clifford Clyde Cody Colin Conrad Corey
Craig Curtis Dale Damon Daniel Darren Darryl David Dean Dennis Derek Dominic Donald Douglas Duane Dustin Dwight Earl
Eddie Edgar Edmund Eduardo Edward Edwin Eli Elliot Ellis Elmer Emmett Eric Ernest Ethan Eugene Evan Everett Felix Floyd
Francis Francisco Frank Franklin Fred Frederick Gabriel Garrett Gary Gene Geoffrey George Gerald Gilbert Glenn Gordon
Grant Gregory Guy Harold Harrison Harry Harvey Hector Henry Herbert Herman Homer Horace Howard Hubert Hugh Hugo Ian Ira
Irving Isaac Ivan Jack Jacob Jaime James Jared Jason Javier Jay Jeffrey Jeremy Jerome Jesse Joel John Jonathan Jorge Jose
Joseph Joshua Juan Julian Julius Justin Keith Kelvin Kenneth Kevin Kirk Kurt Kyle Lance Larry Lawrence Leo Leon Leonard
Leroy Leslie Lester Lewis Lloyd Logan Lorenzo Louis Lucas Luis Luther Malcolm Manuel Marcus Mario Mark Marshall Martin
Marvin Mason Matthew Maurice Max Melvin Michael Miguel Miles Milton Mitchell Morris Nathan Nathaniel Neil Nicholas Noah
Noel Norman Oliver Omar Orlando Oscar Otis Owen Patrick Paul Pedro Percy Perry Peter Philip Preston Quentin Rafael Ralph
Ramon Randall Raymond Reginald Rene Ricardo Richard Robert Roberto Roderick Rodney Roger Roland Roman Ronald Ross Roy
Ruben Rudolph Rufus Russell Salvador Samuel Scott Sean Sergio Seth Shane Sidney Simon Spencer Stanley Stephen Sterling
Steven Stuart Taylor Terrence Theodore Thomas Timothy Todd Tomas Travis Trevor Tyler Vernon Victor Vincent Virgil Wade
Wallace Walter Warren Wayne Wendell Wesley Wilbur Willard William Willis Winston Zachary`)
)

// Words for the names of organizations.
var (
	natures = list(`
Alder Ash Aspen Bay Beacon Bear Birch Blue Bridge Brook Canyon Cedar Clover Copper Coral Creek Crescent Crystal Cypress
Dogwood Eagle Elm Evergreen Falcon Fern Golden Grand Granite Green Harbor Hawthorn Hazel Heritage Heron Hickory High
Hollow Ivy Juniper Keystone Lake Lantern Laurel Liberty Lighthouse Linden Magnolia Maple Meadow Mesa Mill Mountain North
Oak Ocean Olive Orchard Osprey Palmetto Peach Pine Pioneer Prairie Rainbow Red Ridge River Rock Rose Sage Sequoia Silver
Sky Spring Spruce Stone Summit Sun Sycamore Three Timber Trillium Twin Union Valley Vista Walnut West White Wild Willow
Wren`)
	seconds = list(`
Bend Bluff Bough Branch Bridge Brook Cove Creek Crest Crossing Falls Field Ford Forks Gap Gate Glen Grove Harbor Haven
Hill Hollow Knoll Lake Landing Lane Leaf Ledge Meadow Mill Oaks Path Peak Place Point Pond Ridge Rise River Rock Run
Shore Spring Springs Stone Terrace Trace Trail Valley View Village Vista Woods`)
	virtues = list(`
Hope Grace Faith Harmony Promise Horizon Haven Compass Bridge Pathway Journey Anchor Beacon Unity Courage Joy Mercy
Kindness Freedom Renewal Bright New Second Common Open Shared Living Rising Together Thrive Bloom Gather Kindred Beloved
Wellspring Cornerstone Lifeline Catalyst Foundry Uplift Ascend Ember Threshold Rooted Gateway Wayfinder Steadfast`)
	brandNouns = list(`
Table House Project Collective Alliance Works Network Partners Initiative Center Circle Commons Hub Lab Studio Coalition
Exchange Fellowship Workshop Place Mission Outreach Movement Connection Society Institute Group Union Corps`)
	saints = list(`
Agnes Aidan Andrew Ann Anthony Augustine Barnabas Bartholomew Benedict Bernard Brendan Bridget Catherine Cecilia Clare
Columba David Dominic Edward Elizabeth Francis Gabriel George Gregory Helen Hilary Ignatius James Jerome Joan John Joseph
Jude Lawrence Leo Louis Lucy Luke Margaret Mark Martha Martin Mary Matthew Matthias Michael Monica Nicholas Patrick Paul
Peter Philip Raphael Rita Rose Stephen Teresa Thomas Timothy Vincent William`)
	denominations = lines(`
Baptist Church
Baptist Church
Missionary Baptist Church
United Methodist Church
Methodist Church
Presbyterian Church
Lutheran Church
Evangelical Lutheran Church
Episcopal Church
Church of Christ
Christian Church
Church of God
Church of the Nazarene
Assembly of God
Community Church
Bible Church
Bible Fellowship
Congregational Church
Reformed Church
Mennonite Church
Covenant Church
Pentecostal Church
Holiness Church
African Methodist Church
Unitarian Church
Fellowship Church
Free Will Baptist Church
Friends Meeting`)
	churchLeads = list(`
First Second New Grace Calvary Trinity Bethel Bethany Zion Ebenezer Emmanuel Faith Hope Redeemer Shiloh Salem Antioch
Berea Canaan Cornerstone Crossroads Harvest Immanuel Mount Good Living Macedonia Messiah Victory Christ Resurrection
Ascension Greater Pleasant Sharon Friendship Liberty Victory Providence Gethsemane Corinth Tabernacle Pilgrim Open`)
	hebrew  = list(`Shalom Emeth Torah Tikvah Chaim Ahavah Israel Sholom Am El Tefillah Chesed`)
	arabic  = list(`Noor Salam Rahma Huda Taqwa Iman Falah Ihsan Hidayah Amanah`)
	streets = list(`
Main Oak Maple Cedar Pine Elm Washington Lake Hill Walnut Spring North Ridge Church Willow Mill Sunset Railroad Jackson
Franklin River Cherry Highland Meadow Center Park Jefferson Lincoln Madison Prospect Chestnut Broad Market State Union
College School Commerce Court Front Water Grove Locust Forest Valley View Garden Laurel Birch Spruce Dogwood Adams Monroe
Clinton Liberty Academy Summit Vine Poplar Sycamore Hickory Magnolia Pleasant Canal Harrison Grant Cleveland Central
Hillcrest Fairview Lakeview Orchard Cottage Depot Bridge Pearl Clay Green High Mulberry Wilson Warren Wood Arlington
Berkshire Cambridge Canyon Colonial Country Creek Crescent Delaware Division Eagle Euclid Garfield Industrial Jones King
Lafayette Lexington Mountain Old Olive Peachtree Pennsylvania Pioneer Queen Sherman Sherwood Somerset Terrace Victoria
Virginia Westminster Windsor Woodland York`)
	streetTypes = list(`St St St Ave Ave Ave Rd Rd Dr Dr Blvd Ln Ct Way Pl Pkwy Hwy Street Avenue Road Drive`)
	quarters    = list(`N S E W N S E W NW NE SW SE`)

	firms = list(`
Acorn Aldine Allmark Amberly Arbco Arcwell Ardent Aster Avonmark Bancroft Barrowgate Bexley Blueline Bramwell Brightwater
Caldera Calloway Canton Carrick Centrix Chathamwood Clearfork Coldbrook Conduit Corvane Cromwell Daltrey Deltona Draycott
Eastbridge Elmont Emberline Everly Fairhaven Farnham Fenwick Fieldstone Garrick Glenmark Graystone Halcyon Harwick Havelock
Hexagon Hollister Inverness Ironbridge Jarrow Kelton Kestrel Kingsford Lakemont Landis Larkspur Lumen Marbury Mariner
Meridian Millbrook Montclair Nautica Newbury Northgate Novacrest Oakhurst Orion Paragon Pelham Penrose Pinecrest Quantum
Quarry Ravenna Redfern Ridgeline Rockwell Rosemont Saxon Sentry Silverton Solara Stonegate Summa Tamarack Telford Tidewater
Trident Unison Vantage Veritas Wadsworth Waverly Westbrook Westmark Whitehall Wynfield Zenith`)
	industries = lines(`
Energy
Financial
Industries
Insurance
Motors
Pharmaceuticals
Foods
Technologies
Savings Bank
Health
Materials
Logistics
Electric
Software
Brands
Retail Group
Communications
Paper
Steel
Farms`)
)

// federations are invented national bodies with numbered or named local
// units. The letter says how a unit is named: n number, c city, b both.
var federations = []struct {
	name, unit, cause string
	style             byte
	section           string // 501(c) number
}{
	{"Loyal Order of Lanterns", "Lodge", "Y42", 'n', "08"},
	{"Veterans League of the Republic", "Post", "W30", 'n', "19"},
	{"Veterans League Auxiliary", "Unit", "W30", 'n', "19"},
	{"Sons and Daughters of the Prairie", "Chapter", "Y42", 'n', "08"},
	{"Harvest Grange", "No", "K28", 'n', "05"},
	{"Young Pathfinders of America", "Council", "O40", 'c', "03"},
	{"Meadowlark Girls", "Council", "O42", 'c', "03"},
	{"Civitas Club", "Chapter", "S80", 'c', "04"},
	{"Brotherhood of Rail and Harbor Workers", "Local", "J40", 'n', "05"},
	{"United Trades Federation", "Local", "J40", 'n', "05"},
	{"Homebuilders in Common", "Affiliate", "L22", 'c', "03"},
	{"Big Hearts Mentors", "Agency", "O31", 'c', "03"},
	{"Neighbors United Fund", "Agency", "T70", 'c', "03"},
	{"Evergreen Garden Clubs", "Chapter", "C42", 'c', "03"},
	{"Daughters of the First Ships", "Chapter", "A80", 'b', "03"},
	{"Order of the Silver Trowel", "Lodge", "Y40", 'n', "10"},
	{"Morning Star Shrine", "Temple", "Y40", 'b', "08"},
	{"Sunrise Service Club", "Chapter", "S80", 'c', "04"},
	{"National Reading Volunteers", "Chapter", "B60", 'c', "03"},
	{"Horseshoe Riders for Health", "Chapter", "D60", 'c', "03"},
	{"Alpha Delta Omicron", "Chapter", "B83", 'b', "07"},
	{"Women of Civic Purpose", "Branch", "R24", 'c', "03"},
	{"American Kite League", "Chapter", "N60", 'c', "03"},
	{"NYCA", "Branch", "P30", 'c', "03"}, // the Neighborhood Youth and Community Association, known by its letters alone
}

// foreignPlace is a place abroad, with the IRS's country code (FIPS 10-4).
type foreignPlace struct {
	city, province, country, postal string
	forms                           string // trailing or leading legal words, separated by |
}

var foreignPlaces = []foreignPlace{
	{"London", "England", "UK", "EC1V 9NR", "Trust|Foundation|CIC|Limited"},
	{"Oxford", "England", "UK", "OX1 2JD", "Trust|Society|Limited"},
	{"Edinburgh", "Scotland", "UK", "EH2 4RG", "Trust|SCIO"},
	{"Berlin", "Berlin", "GM", "10117", "e.V.|gGmbH|Stiftung"},
	{"Hamburg", "Hamburg", "GM", "20095", "e.V.|Stiftung"},
	{"Geneva", "GE", "SZ", "1202", "Foundation|Association"},
	{"Zurich", "ZH", "SZ", "8001", "Stiftung|Verein"},
	{"Cape Town", "Western Cape", "SF", "8001", "NPC|Trust"},
	{"Johannesburg", "Gauteng", "SF", "2001", "NPC|Trust"},
	{"Lagos", "Lagos", "NI", "101233", "Foundation|Initiative"},
	{"Nairobi", "Nairobi", "KE", "00100", "Trust|Initiative"},
	{"Kampala", "Kampala", "UG", "00256", "Foundation|Limited"},
	{"Jerusalem", "Jerusalem", "IS", "9103401", "R.A.|Institute|Fund"},
	{"Tel Aviv", "Tel Aviv", "IS", "6100001", "R.A.|Fund"},
	{"Sydney", "NSW", "AS", "2000", "Pty Ltd|Trust|Limited"},
	{"Melbourne", "VIC", "AS", "3000", "Limited|Trust"},
	{"New Delhi", "Delhi", "IN", "110001", "Trust|Samiti|Foundation"},
	{"Mumbai", "Maharashtra", "IN", "400001", "Trust|Foundation"},
	{"Bengaluru", "Karnataka", "IN", "560001", "Trust|Foundation"},
	{"Toronto", "ON", "CA", "M5H 2N2", "Foundation|Society|Inc."},
	{"Vancouver", "BC", "CA", "V6B 1A1", "Society|Foundation"},
	{"Mexico City", "CDMX", "MX", "06000", "A.C.|I.A.P."},
	{"Guadalajara", "Jalisco", "MX", "44100", "A.C."},
	{"Paris", "Ile-de-France", "FR", "75008", "Association|Fondation"},
	{"Amsterdam", "Noord-Holland", "NL", "1012 JS", "Stichting|B.V."},
	{"Brussels", "Brussels", "BE", "1000", "ASBL|VZW"},
	{"Rome", "Lazio", "IT", "00186", "Onlus|Fondazione"},
	{"Sao Paulo", "SP", "BR", "01310-100", "Instituto|Associacao"},
	{"Beijing", "Beijing", "CH", "100005", "Foundation|Center"},
	{"Manila", "NCR", "RP", "1000", "Inc.|Foundation"},
	{"Port-au-Prince", "Ouest", "HA", "HT6110", "Foundation|Fondation"},
	{"Accra", "Greater Accra", "GH", "GA184", "Foundation|Limited"},
}
