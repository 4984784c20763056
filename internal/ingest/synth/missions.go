package synth

// sentences are what organizations of a major group of the NTEE like to add about
// themselves, by its letter. They differ by cause, so that a search by meaning
// has something to tell apart; none names a place.
var sentences = map[byte][]string{
	'A': lines(`
Every season we open our doors to artists who have never shown before, and to people who have never seen a stage from up close.
Tickets are kept low, and a third of them are given away to schools and senior homes.
We keep the songs, crafts and stories of this place alive by teaching them to children.
Classes in painting, dance and music run all year, with scholarships for those who need them.`),
	'B': lines(`
No child is turned away because a family cannot pay.
We put books, tutors and computers within reach of students who have none at home.
Teachers get small grants for what the school budget leaves out: microscopes, instruments, bus trips.
Our graduates are the first in their families to go to college.`),
	'C': lines(`
Volunteers pull invasive weeds, plant trees and test the water every spring.
We buy land before it is built over and open it to walkers, birds and bees.
We teach gardeners, farmers and town boards to use less water and waste less.
Our lawyers and scientists hold polluters to the law.`),
	'D': lines(`
No healthy animal is put down for want of space.
We find homes for dogs and cats, mend broken wings, and spay and neuter at low cost.
Our farm gives old and neglected horses a safe pasture.
We teach children to be kind to animals and people to care for their pets.`),
	'E': lines(`
Nobody is refused care because of what they can pay.
Nurses and doctors see patients in the clinic, at home and from a van that travels the county.
We train the next generation of nurses and rural doctors.
Families of patients find a bed, a meal and a listening ear with us.`),
	'F': lines(`
A crisis line is answered by a person at every hour of the day.
We offer counseling on a sliding scale, in schools, churches and homes.
People in recovery help others to stay sober and find work.
We teach parents and teachers to see the signs of depression and of suicide.`),
	'G': lines(`
We drive patients to treatment, help with bills, and sit with families who wait.
Research grants go to young scientists with new ideas about old diseases.
Support groups meet every week for those who were just told.
We teach the public how to prevent strokes, diabetes and heart disease.`),
	'H': lines(`
Our laboratories look for the causes of disease and share what they find.
Clinical trials give patients a chance when other treatment has failed.
We train young investigators in genetics and immunology.`),
	'I': lines(`
We stand beside tenants in court, victims of crime and people wrongly convicted.
People leaving prison find work, housing and a mentor with us.
Our lawyers take cases that nobody else will, without a fee.`),
	'J': lines(`
We teach welding, nursing assistance and computer repair, and place graduates in jobs.
Adults who lost their work learn a trade while we help with child care and bus fare.
Employers and job seekers meet at our fairs each month.`),
	'K': lines(`
We fill backpacks with food for the weekend, stock pantries, and cook hot meals for anyone who is hungry.
Surplus fruit and vegetables from farms go to soup kitchens and food pantries within a day.
A mobile pantry brings groceries to neighborhoods without a store.
Gardens on empty lots grow vegetables for families who could not buy them.`),
	'L': lines(`
We build houses with the families who will live in them, and repair the roofs of elders.
Rent assistance and mediation keep families from being evicted.
Our shelter has beds for men, women and children without a home, and a plan for each to leave it.
We own and manage apartments that people with low wages can afford.`),
	'M': lines(`
Volunteers answer fires, floods and car wrecks at any hour.
We train neighbors in first aid and give away smoke detectors.
After a tornado or a flood we are there with tarps, water and chain saws.`),
	'N': lines(`
Children play soccer, baseball and swim with us, and nobody sits out for want of a fee.
Our camps take city children to the woods for two weeks each summer.
Athletes with disabilities train and compete here.`),
	'O': lines(`
After school we help with homework, teach chess and robotics, and serve a snack.
Each child is matched with a mentor who stays for years.
Teenagers learn to lead by running projects of their own.`),
	'P': lines(`
A family in crisis finds food, a ride, a lawyer and a place to sleep by way of one phone call.
We care for small children while their parents work, and for elders who live alone.
Survivors of violence at home find shelter, counseling and a new start.
People with disabilities live, work and vote as everyone else does, with the help they ask for.
Refugees learn English, find a job and see their children thrive at school.`),
	'Q': lines(`
We dig wells, build schools and train nurses in villages without roads.
Refugees from war find tents, food and doctors with our partners abroad.
Students and teachers cross borders in our exchanges and come home as friends.`),
	'R': lines(`
We register voters, train organizers and go to court for equal rights.
Immigrants learn their rights, and how to defend them.
We bring people of different races and faiths to one table.`),
	'S': lines(`
Small shops on Main Street get loans, paint and advice.
Neighbors plan parks, plant trees and clean the streets together.
We help people start businesses and rural towns keep their young.`),
	'T': lines(`
We give to those who know their own neighborhoods best.
Donors find causes through us, and causes find donors.
Our grants are small, quick, and go where others do not.`),
	'U': lines(`
Children build rockets, look at stars and meet scientists.
Engineers and students compete with robots they have built.
We measure the sky, the sea and the soil, and publish what we find.`),
	'V': lines(`
Scholars study housing, taxes and schools, and say in plain words what works.
Our surveys tell lawmakers how people live.
We keep an open library of data on the economy.`),
	'W': lines(`
Veterans find housing, work and care with the help of others who served.
We train service dogs for wounded soldiers.
We teach how government works, and how to run for office.
Military families get help with moving, child care and grief.`),
	'X': lines(`
All are welcome at worship, and at supper afterwards.
We visit the sick, feed the hungry and bury the dead.
Missionaries, pastors and teachers go out from here into all the world.`),
	'Y': lines(`
Members help one another in sickness and old age, and bury their dead with honor.
We keep a burial ground and a fund for widows and orphans.`),
}
