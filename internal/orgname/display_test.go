package orgname_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"grantgraph/internal/orgname"
)

// displayCases are names as they should be shown; in the register they are
// written in capitals.
var displayCases = strings.Split(strings.TrimSpace(`
The Hartwell Foundation
Hartwell Family Foundation Inc
YMCA of Greater Mapleton Inc
YWCA of Larkspur
UPMC Larkspur
Young Mens Christian Association of Larkspur
Y M C A of Larkspur
Y.M.C.A. of Larkspur
Mapleton Elementary PTO
Mapleton Elementary PTA Inc.
Friends of Larkspur AFB
American National Orange Cross USA
Boys and Girls Club of La Plata County
Saint Brendan's Hospital & Health Center
St. Brendan's Hospital
St Brendans School
Mt Zion Baptist Church
Ft Larkspur Historical Society
Martin Luther Vance Jr Memorial Fund
John A Thatcher Jr. Foundation
William H Vance III Charitable Trust
Phase II Housing Inc
Henry VIII Players
World War II Veterans of Larkspur
McDowell Family Foundation
McLean Arts Center
O'Brien Family Trust
D'Angelo Foundation
L'Arche Mapleton
MacArthur Hall Friends
Children's Museum of Thornton
Don't Stop Believing Inc
NAACP Larkspur Branch
ASPCA of Mapleton
VFW Post 7
V F W Post 7
American Legion Post 9
4-H Club of Thornton County
Thornton 4-H
1st Baptist Church of Larkspur
2nd Chance Dogs
23rd Psalm House
5th Street Players
Class of the 1990s
K12 Friends
Hope 4 Kids
Larkspur LLC
Larkspur Housing LP
Friends of Larkspur, OH
Food Bank of Larkspur, OR
Food Bank of Larkspur, IN Inc
Larkspur Rotary OH
Rotary Club of Thornton NC
Rotary Club of Thornton TX
Friends in Need
Carry On
Of Mice and Meadows
In the Company of Friends
The Arts at the Center
Make a Difference Larkspur
House of a Thousand Books
John A Vance Foundation
A Better Lowland
Back-to-School Drive
Mother-Daughter Circle
Thornton-Vance Fund
AFL-CIO of Mapleton
Arts/Music for All
Lark (League for the Advancement of Rural Kids)
Mapleton Players - The Next Stage
Mapleton: A History
AIDS Walk Thornton
HIV Alliance
NAMI Mapleton
PFLAG Larkspur
LGBTQ Center of Thornton
ALS Friends
Thornton EMS
Mapleton ISD Foundation
USO of Larkspur
US Lacrosse Friends
U.S. Lacrosse Friends
UCLA Club of Mapleton
MIT Club of Larkspur
BYU Wives
SUNY Thornton Foundation
CUNY Friends
KIPP Larkspur
STEM for Girls
NASA Veterans
NCAA Fans
IBEW Local 41
SEIU Local 7
UAW Local 12
AFSCME Council 31
FFA Alumni of Thornton
BSA Troop 12
ROTC Alumni
AME Church of Thornton
First United UMC
ELCA Camp
Elks Lodge BPOE 22
IOOF Lodge 4
FOP Lodge 9
DAV Chapter 3
AMVETS Post 12
Dr Vance Clinic
Mr and Mrs Vance Fund
Sr Mary Vance House
Vance Fdn
Vance Fdn Tr
Health Ctr of Mapleton
Human Svcs of Mapleton
Mapleton Twp Library
123 Main St Fund
NW Thornton Players
SE Thornton Players
NE Mapleton Library
Washington DC Runners
New York City Runners
NYC Runners
NY Runners
VA Hospital Friends
Virginia Beach Runners
PhD Project
DePaul Friends
AmeriCorps Alumni
Casa de Esperanza
Club de Leones
Friends of Las Flores
El Camino Players of Los Robles
Iglesia del Camino
Amigos de las Flores
Camp YMCA
WWII Museum Friends
Rock 'N' Roll Camp
Rock N Roll Camp
Vance & Sons Co
Vance and Co Ltd
Zürcher Kulturverein
École Française
KLMN Radio
WQXZ Friends
BBQ for Good
PBS Friends
TV Archive
Sky Gym
Lynn Myth Fund
Mapleton 501C3 Help
X Prize Friends
All of Us Together
Toys for Us
First Baptist Church
The Arc of Thornton
The Care Center
`), "\n")

func TestDisplay(t *testing.T) {
	t.Parallel()
	if len(displayCases) < 120 {
		t.Errorf("only %d names", len(displayCases))
	}
	for _, want := range displayCases {
		if got := orgname.Display(strings.ToUpper(want)); got != want {
			t.Errorf("%s is shown as %s, want %s", strings.ToUpper(want), got, want)
		}
	}
	for _, same := range []string{"", "eBay Foundation", "charity: water", "feedLarkspur", "YMCA of the USA", "McVance's 2nd Home", "東京", "!!!", "inc"} {
		if got := orgname.Display(same); got != same {
			t.Errorf("%s is shown as %s", same, got)
		}
	}
}

func FuzzDisplay(f *testing.F) {
	for _, s := range displayCases {
		f.Add(strings.ToUpper(s))
	}
	for _, s := range []string{"\xff\xfeA", "ẞß İI ǅ", "A'", "'A'B'C", "O’BRIEN", "ŐSZI", "A-B-C-", "((", "1ST2ND", "MC", "MAC'S", "ſ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := orgname.Display(s)
		if again := orgname.Display(got); again != got {
			t.Errorf("%q is shown as %q and then as %q", s, got, again)
		}
		if utf8.ValidString(s) && !strings.EqualFold(got, s) {
			t.Errorf("%q has other letters than %q", got, s)
		}
	})
}
