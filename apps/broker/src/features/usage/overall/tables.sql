-- Use of tools by all users, by day (UTC): usage_server_days of each server, usage_days of all together. usage_people has the
-- day on which a call of each user last reached a server. Both views include what is not merged yet. usage_people_days has,
-- for past days, how many users' calls reached a server on that day, and in the 30 days that ended with it.
create table usage_server_days (
  day date not null,
  server_id text not null,
  calls bigint not null, answered bigint not null, failed bigint not null, ms_5 bigint not null,
  ms_10 bigint not null, ms_25 bigint not null, ms_50 bigint not null, ms_100 bigint not null, ms_250 bigint not null,
  ms_500 bigint not null, ms_1000 bigint not null, ms_2500 bigint not null, ms_5000 bigint not null,
  ms_15000 bigint not null, ms_more bigint not null,
  primary key (day, server_id)
) with (fillfactor = 70);

create table usage_days (
  day date primary key,
  calls bigint not null,
  answered bigint not null,
  failed bigint not null
) with (fillfactor = 50);

create table usage_people (
  user_id uuid primary key,
  last_day date not null
);

create index usage_people_by_day on usage_people (last_day);

create table usage_people_days (
  day date primary key,
  people int not null,
  people_30 int
);

create view usage_by_server_day as select
  day, server_id, calls, answered, failed, ms_5, ms_10, ms_25, ms_50, ms_100, ms_250, ms_500, ms_1000, ms_2500,
  ms_5000, ms_15000, ms_more
from usage_server_days union all select
  day, server_id, calls, answered, failed, ms_5, ms_10, ms_25, ms_50, ms_100, ms_250, ms_500, ms_1000, ms_2500,
  ms_5000, ms_15000, ms_more
from usage_parts where kind = 'tool' and server_id <> '';

-- With built-in tools: the shop's total is that of all users' own figures.
create view usage_by_day_of_all as select day, calls, answered, failed from usage_days
union all select day, calls, answered, failed from usage_parts where kind = 'tool';
