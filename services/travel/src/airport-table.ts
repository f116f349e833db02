/**
 * Airports, written by hand from general knowledge: IATA code, name, city, country, latitude, longitude, time zone.
 * Coordinates of the airfield are accurate to about a kilometer.
 */
export const airportTable = `
ATL|Hartsfield-Jackson Atlanta|Atlanta|United States|33.637|-84.428|America/New_York
BOS|Logan|Boston|United States|42.364|-71.005|America/New_York
JFK|John F. Kennedy|New York|United States|40.640|-73.779|America/New_York
LGA|LaGuardia|New York|United States|40.777|-73.873|America/New_York
EWR|Newark Liberty|Newark|United States|40.693|-74.169|America/New_York
PHL|Philadelphia|Philadelphia|United States|39.872|-75.241|America/New_York
BWI|Baltimore/Washington|Baltimore|United States|39.175|-76.668|America/New_York
IAD|Washington Dulles|Washington|United States|38.945|-77.456|America/New_York
DCA|Reagan National|Washington|United States|38.852|-77.038|America/New_York
CLT|Charlotte Douglas|Charlotte|United States|35.214|-80.943|America/New_York
MIA|Miami|Miami|United States|25.793|-80.291|America/New_York
MCO|Orlando|Orlando|United States|28.429|-81.309|America/New_York
DTW|Detroit Metropolitan|Detroit|United States|42.212|-83.353|America/Detroit
ORD|O'Hare|Chicago|United States|41.979|-87.905|America/Chicago
MSP|Minneapolis-Saint Paul|Minneapolis|United States|44.882|-93.222|America/Chicago
BNA|Nashville|Nashville|United States|36.124|-86.678|America/Chicago
MSY|Louis Armstrong|New Orleans|United States|29.993|-90.258|America/Chicago
DFW|Dallas/Fort Worth|Dallas|United States|32.897|-97.038|America/Chicago
IAH|George Bush|Houston|United States|29.984|-95.341|America/Chicago
AUS|Austin-Bergstrom|Austin|United States|30.195|-97.670|America/Chicago
DEN|Denver|Denver|United States|39.862|-104.673|America/Denver
SLC|Salt Lake City|Salt Lake City|United States|40.788|-111.978|America/Denver
PHX|Phoenix Sky Harbor|Phoenix|United States|33.434|-112.012|America/Phoenix
LAS|Harry Reid|Las Vegas|United States|36.084|-115.152|America/Los_Angeles
LAX|Los Angeles|Los Angeles|United States|33.943|-118.408|America/Los_Angeles
SAN|San Diego|San Diego|United States|32.734|-117.190|America/Los_Angeles
SFO|San Francisco|San Francisco|United States|37.619|-122.375|America/Los_Angeles
PDX|Portland|Portland|United States|45.589|-122.597|America/Los_Angeles
SEA|Seattle-Tacoma|Seattle|United States|47.449|-122.309|America/Los_Angeles
ANC|Ted Stevens|Anchorage|United States|61.174|-149.996|America/Anchorage
HNL|Daniel K. Inouye|Honolulu|United States|21.319|-157.922|Pacific/Honolulu
YYZ|Toronto Pearson|Toronto|Canada|43.677|-79.631|America/Toronto
YUL|Montréal-Trudeau|Montreal|Canada|45.471|-73.741|America/Toronto
YOW|Ottawa Macdonald-Cartier|Ottawa|Canada|45.323|-75.669|America/Toronto
YHZ|Halifax Stanfield|Halifax|Canada|44.881|-63.509|America/Halifax
YYT|St. John's|St. John's|Canada|47.619|-52.752|America/St_Johns
YWG|Winnipeg Richardson|Winnipeg|Canada|49.910|-97.240|America/Winnipeg
YYC|Calgary|Calgary|Canada|51.114|-114.020|America/Edmonton
YEG|Edmonton|Edmonton|Canada|53.310|-113.580|America/Edmonton
YVR|Vancouver|Vancouver|Canada|49.194|-123.184|America/Vancouver
MEX|Benito Juárez|Mexico City|Mexico|19.436|-99.072|America/Mexico_City
GDL|Guadalajara|Guadalajara|Mexico|20.522|-103.311|America/Mexico_City
CUN|Cancún|Cancún|Mexico|21.037|-86.877|America/Cancun
HAV|José Martí|Havana|Cuba|22.989|-82.409|America/Havana
SJU|Luis Muñoz Marín|San Juan|Puerto Rico|18.439|-66.002|America/Puerto_Rico
PTY|Tocumen|Panama City|Panama|9.071|-79.384|America/Panama
SJO|Juan Santamaría|San José|Costa Rica|9.994|-84.209|America/Costa_Rica
BOG|El Dorado|Bogotá|Colombia|4.702|-74.147|America/Bogota
MDE|José María Córdova|Medellín|Colombia|6.165|-75.423|America/Bogota
UIO|Mariscal Sucre|Quito|Ecuador|-0.129|-78.358|America/Guayaquil
LIM|Jorge Chávez|Lima|Peru|-12.022|-77.114|America/Lima
CUZ|Alejandro Velasco Astete|Cusco|Peru|-13.536|-71.939|America/Lima
LPB|El Alto|La Paz|Bolivia|-16.513|-68.192|America/La_Paz
CCS|Simón Bolívar|Caracas|Venezuela|10.603|-66.991|America/Caracas
SCL|Arturo Merino Benítez|Santiago|Chile|-33.393|-70.786|America/Santiago
EZE|Ministro Pistarini|Buenos Aires|Argentina|-34.822|-58.536|America/Argentina/Buenos_Aires
MVD|Carrasco|Montevideo|Uruguay|-34.838|-56.031|America/Montevideo
GRU|Guarulhos|São Paulo|Brazil|-23.432|-46.469|America/Sao_Paulo
GIG|Galeão|Rio de Janeiro|Brazil|-22.810|-43.251|America/Sao_Paulo
BSB|Brasília|Brasília|Brazil|-15.869|-47.921|America/Sao_Paulo
MAO|Eduardo Gomes|Manaus|Brazil|-3.039|-60.050|America/Manaus
LHR|Heathrow|London|United Kingdom|51.470|-0.454|Europe/London
LGW|Gatwick|London|United Kingdom|51.148|-0.190|Europe/London
STN|Stansted|London|United Kingdom|51.885|0.235|Europe/London
MAN|Manchester|Manchester|United Kingdom|53.354|-2.275|Europe/London
EDI|Edinburgh|Edinburgh|United Kingdom|55.950|-3.373|Europe/London
DUB|Dublin|Dublin|Ireland|53.421|-6.270|Europe/Dublin
KEF|Keflavík|Reykjavík|Iceland|63.985|-22.606|Atlantic/Reykjavik
CDG|Charles de Gaulle|Paris|France|49.010|2.548|Europe/Paris
ORY|Orly|Paris|France|48.723|2.379|Europe/Paris
NCE|Nice Côte d'Azur|Nice|France|43.658|7.216|Europe/Paris
LYS|Lyon-Saint Exupéry|Lyon|France|45.726|5.091|Europe/Paris
AMS|Schiphol|Amsterdam|Netherlands|52.309|4.764|Europe/Amsterdam
BRU|Brussels|Brussels|Belgium|50.901|4.484|Europe/Brussels
LUX|Luxembourg Findel|Luxembourg|Luxembourg|49.627|6.212|Europe/Luxembourg
FRA|Frankfurt|Frankfurt|Germany|50.033|8.571|Europe/Berlin
MUC|Munich|Munich|Germany|48.354|11.786|Europe/Berlin
BER|Berlin Brandenburg|Berlin|Germany|52.366|13.503|Europe/Berlin
HAM|Hamburg|Hamburg|Germany|53.630|9.988|Europe/Berlin
DUS|Düsseldorf|Düsseldorf|Germany|51.289|6.767|Europe/Berlin
ZRH|Zurich|Zurich|Switzerland|47.465|8.549|Europe/Zurich
GVA|Geneva|Geneva|Switzerland|46.238|6.109|Europe/Zurich
VIE|Vienna|Vienna|Austria|48.110|16.570|Europe/Vienna
PRG|Václav Havel|Prague|Czechia|50.101|14.260|Europe/Prague
BUD|Ferenc Liszt|Budapest|Hungary|47.437|19.256|Europe/Budapest
WAW|Chopin|Warsaw|Poland|52.166|20.967|Europe/Warsaw
KRK|John Paul II|Kraków|Poland|50.078|19.785|Europe/Warsaw
CPH|Copenhagen|Copenhagen|Denmark|55.618|12.656|Europe/Copenhagen
OSL|Gardermoen|Oslo|Norway|60.194|11.100|Europe/Oslo
TOS|Tromsø|Tromsø|Norway|69.683|18.919|Europe/Oslo
ARN|Arlanda|Stockholm|Sweden|59.652|17.919|Europe/Stockholm
HEL|Helsinki-Vantaa|Helsinki|Finland|60.317|24.963|Europe/Helsinki
TLL|Lennart Meri|Tallinn|Estonia|59.413|24.833|Europe/Tallinn
RIX|Riga|Riga|Latvia|56.924|23.971|Europe/Riga
VNO|Vilnius|Vilnius|Lithuania|54.634|25.286|Europe/Vilnius
MAD|Barajas|Madrid|Spain|40.472|-3.561|Europe/Madrid
BCN|El Prat|Barcelona|Spain|41.297|2.078|Europe/Madrid
AGP|Málaga|Málaga|Spain|36.675|-4.499|Europe/Madrid
PMI|Palma de Mallorca|Palma|Spain|39.552|2.739|Europe/Madrid
LPA|Gran Canaria|Las Palmas|Spain|27.932|-15.387|Atlantic/Canary
LIS|Humberto Delgado|Lisbon|Portugal|38.774|-9.134|Europe/Lisbon
OPO|Francisco Sá Carneiro|Porto|Portugal|41.248|-8.681|Europe/Lisbon
FCO|Fiumicino|Rome|Italy|41.804|12.251|Europe/Rome
MXP|Malpensa|Milan|Italy|45.630|8.723|Europe/Rome
VCE|Marco Polo|Venice|Italy|45.505|12.352|Europe/Rome
NAP|Capodichino|Naples|Italy|40.886|14.291|Europe/Rome
MLA|Luqa|Valletta|Malta|35.857|14.477|Europe/Malta
ATH|Eleftherios Venizelos|Athens|Greece|37.936|23.944|Europe/Athens
ZAG|Franjo Tuđman|Zagreb|Croatia|45.743|16.069|Europe/Zagreb
BEG|Nikola Tesla|Belgrade|Serbia|44.818|20.309|Europe/Belgrade
OTP|Henri Coandă|Bucharest|Romania|44.571|26.085|Europe/Bucharest
SOF|Sofia|Sofia|Bulgaria|42.697|23.411|Europe/Sofia
KBP|Boryspil|Kyiv|Ukraine|50.345|30.895|Europe/Kyiv
IST|Istanbul|Istanbul|Türkiye|41.262|28.742|Europe/Istanbul
TBS|Shota Rustaveli|Tbilisi|Georgia|41.669|44.955|Asia/Tbilisi
TLV|Ben Gurion|Tel Aviv|Israel|32.011|34.887|Asia/Jerusalem
AMM|Queen Alia|Amman|Jordan|31.723|35.993|Asia/Amman
BEY|Rafic Hariri|Beirut|Lebanon|33.821|35.488|Asia/Beirut
CAI|Cairo|Cairo|Egypt|30.122|31.406|Africa/Cairo
CMN|Mohammed V|Casablanca|Morocco|33.368|-7.590|Africa/Casablanca
ALG|Houari Boumediene|Algiers|Algeria|36.691|3.215|Africa/Algiers
TUN|Carthage|Tunis|Tunisia|36.851|10.227|Africa/Tunis
DSS|Blaise Diagne|Dakar|Senegal|14.671|-17.073|Africa/Dakar
ACC|Kotoka|Accra|Ghana|5.605|-0.167|Africa/Accra
LOS|Murtala Muhammed|Lagos|Nigeria|6.577|3.321|Africa/Lagos
ADD|Bole|Addis Ababa|Ethiopia|8.978|38.799|Africa/Addis_Ababa
NBO|Jomo Kenyatta|Nairobi|Kenya|-1.319|36.928|Africa/Nairobi
KGL|Kigali|Kigali|Rwanda|-1.969|30.140|Africa/Kigali
JNB|O. R. Tambo|Johannesburg|South Africa|-26.139|28.246|Africa/Johannesburg
CPT|Cape Town|Cape Town|South Africa|-33.965|18.602|Africa/Johannesburg
MRU|Sir Seewoosagur Ramgoolam|Port Louis|Mauritius|-20.430|57.684|Indian/Mauritius
DXB|Dubai|Dubai|United Arab Emirates|25.253|55.366|Asia/Dubai
AUH|Zayed|Abu Dhabi|United Arab Emirates|24.433|54.651|Asia/Dubai
DOH|Hamad|Doha|Qatar|25.273|51.608|Asia/Qatar
RUH|King Khalid|Riyadh|Saudi Arabia|24.958|46.699|Asia/Riyadh
JED|King Abdulaziz|Jeddah|Saudi Arabia|21.680|39.157|Asia/Riyadh
KHI|Jinnah|Karachi|Pakistan|24.907|67.161|Asia/Karachi
DEL|Indira Gandhi|Delhi|India|28.567|77.103|Asia/Kolkata
BOM|Chhatrapati Shivaji Maharaj|Mumbai|India|19.089|72.868|Asia/Kolkata
BLR|Kempegowda|Bengaluru|India|13.198|77.706|Asia/Kolkata
MAA|Chennai|Chennai|India|12.990|80.169|Asia/Kolkata
CMB|Bandaranaike|Colombo|Sri Lanka|7.181|79.884|Asia/Colombo
KTM|Tribhuvan|Kathmandu|Nepal|27.697|85.359|Asia/Kathmandu
DAC|Hazrat Shahjalal|Dhaka|Bangladesh|23.843|90.398|Asia/Dhaka
MLE|Velana|Malé|Maldives|4.192|73.529|Indian/Maldives
TAS|Islam Karimov|Tashkent|Uzbekistan|41.258|69.281|Asia/Tashkent
ALA|Almaty|Almaty|Kazakhstan|43.352|77.041|Asia/Almaty
BKK|Suvarnabhumi|Bangkok|Thailand|13.690|100.750|Asia/Bangkok
HKT|Phuket|Phuket|Thailand|8.113|98.317|Asia/Bangkok
SGN|Tan Son Nhat|Ho Chi Minh City|Vietnam|10.819|106.652|Asia/Ho_Chi_Minh
HAN|Noi Bai|Hanoi|Vietnam|21.221|105.807|Asia/Ho_Chi_Minh
KUL|Kuala Lumpur|Kuala Lumpur|Malaysia|2.746|101.710|Asia/Kuala_Lumpur
SIN|Changi|Singapore|Singapore|1.364|103.991|Asia/Singapore
CGK|Soekarno-Hatta|Jakarta|Indonesia|-6.126|106.656|Asia/Jakarta
DPS|Ngurah Rai|Denpasar|Indonesia|-8.748|115.167|Asia/Makassar
MNL|Ninoy Aquino|Manila|Philippines|14.509|121.020|Asia/Manila
HKG|Hong Kong|Hong Kong|Hong Kong|22.308|113.918|Asia/Hong_Kong
TPE|Taoyuan|Taipei|Taiwan|25.077|121.233|Asia/Taipei
CAN|Baiyun|Guangzhou|China|23.392|113.299|Asia/Shanghai
PVG|Pudong|Shanghai|China|31.143|121.805|Asia/Shanghai
PEK|Beijing Capital|Beijing|China|40.080|116.585|Asia/Shanghai
CTU|Shuangliu|Chengdu|China|30.579|103.947|Asia/Shanghai
ICN|Incheon|Seoul|South Korea|37.469|126.451|Asia/Seoul
PUS|Gimhae|Busan|South Korea|35.180|128.938|Asia/Seoul
NRT|Narita|Tokyo|Japan|35.765|140.386|Asia/Tokyo
HND|Haneda|Tokyo|Japan|35.552|139.780|Asia/Tokyo
KIX|Kansai|Osaka|Japan|34.427|135.244|Asia/Tokyo
CTS|New Chitose|Sapporo|Japan|42.775|141.692|Asia/Tokyo
OKA|Naha|Naha|Japan|26.196|127.646|Asia/Tokyo
GUM|Antonio B. Won Pat|Hagåtña|Guam|13.484|144.796|Pacific/Guam
PER|Perth|Perth|Australia|-31.940|115.967|Australia/Perth
DRW|Darwin|Darwin|Australia|-12.415|130.877|Australia/Darwin
ADL|Adelaide|Adelaide|Australia|-34.945|138.531|Australia/Adelaide
MEL|Tullamarine|Melbourne|Australia|-37.673|144.843|Australia/Melbourne
SYD|Kingsford Smith|Sydney|Australia|-33.946|151.177|Australia/Sydney
BNE|Brisbane|Brisbane|Australia|-27.384|153.118|Australia/Brisbane
CNS|Cairns|Cairns|Australia|-16.886|145.755|Australia/Brisbane
HBA|Hobart|Hobart|Australia|-42.836|147.510|Australia/Hobart
AKL|Auckland|Auckland|New Zealand|-37.008|174.792|Pacific/Auckland
WLG|Wellington|Wellington|New Zealand|-41.327|174.805|Pacific/Auckland
CHC|Christchurch|Christchurch|New Zealand|-43.489|172.532|Pacific/Auckland
NAN|Nadi|Nadi|Fiji|-17.755|177.443|Pacific/Fiji
PPT|Faa'a|Papeete|French Polynesia|-17.557|-149.611|Pacific/Tahiti
APW|Faleolo|Apia|Samoa|-13.830|-172.008|Pacific/Apia
`;
