-- Use by day (UTC), user, server and tool (docs/retention.md says how long). The database sums up what a statement has written
-- to usage_events, in its transaction: each row counts once, regardless of which statements write it and how often. The
-- sums go to usage_parts, where statements only append: if they updated a row per day, one slow transaction would block the
-- rows of all other users. merge-usage.ts merges the parts into usage_daily and into usage_servers, which has the sums of all
-- users. The views usage_by_day and usage_of_servers include the parts: they may have several rows per key, to be summed up.
-- The columns ms_… count the answered calls by duration (latency-buckets.ts).
create table usage_daily (
  user_id uuid not null,
  day date not null,
  server_id text not null,
  kind text not null,
  name text not null,
  calls bigint not null, answered bigint not null, credits bigint not null,
  ms_5 bigint not null, ms_10 bigint not null, ms_25 bigint not null, ms_50 bigint not null, ms_100 bigint not null,
  ms_250 bigint not null, ms_500 bigint not null, ms_1000 bigint not null, ms_2500 bigint not null,
  ms_5000 bigint not null, ms_15000 bigint not null, ms_more bigint not null, failed bigint not null,
  last_at timestamptz,
  last_answered_at timestamptz,
  last_client_at timestamptz,
  primary key (user_id, day, server_id, kind, name)
) with (fillfactor = 70);

-- Days are written in order: a few bytes per hundred pages lead to the rows of a month.
create index usage_daily_by_day on usage_daily using brin (day) with (autosummarize = on);

-- The users of one server are counted in the index alone.
create index usage_daily_by_server on usage_daily (server_id, day) include (user_id);

create table usage_parts (
  user_id uuid not null,
  day date not null,
  server_id text not null,
  kind text not null,
  name text not null,
  calls bigint not null, answered bigint not null, credits bigint not null,
  ms_5 bigint not null, ms_10 bigint not null, ms_25 bigint not null, ms_50 bigint not null, ms_100 bigint not null,
  ms_250 bigint not null, ms_500 bigint not null, ms_1000 bigint not null, ms_2500 bigint not null,
  ms_5000 bigint not null, ms_15000 bigint not null, ms_more bigint not null, failed bigint not null,
  last_at timestamptz,
  last_answered_at timestamptz,
  last_client_at timestamptz
);

create index usage_parts_by_user on usage_parts (user_id, day);

-- The sums of all users: of 50,000 users, a month of one server is a million rows of usage_daily.
create table usage_servers (
  server_id text not null,
  day date not null,
  kind text not null,
  name text not null,
  calls bigint not null, answered bigint not null, credits bigint not null,
  ms_5 bigint not null, ms_10 bigint not null, ms_25 bigint not null, ms_50 bigint not null, ms_100 bigint not null,
  ms_250 bigint not null, ms_500 bigint not null, ms_1000 bigint not null, ms_2500 bigint not null,
  ms_5000 bigint not null, ms_15000 bigint not null, ms_more bigint not null, failed bigint not null,
  primary key (server_id, day, kind, name)
) with (fillfactor = 70);

create view usage_by_day as select
  user_id, day, server_id, kind, name, calls, answered, credits, ms_5, ms_10, ms_25, ms_50, ms_100, ms_250, ms_500,
  ms_1000, ms_2500, ms_5000, ms_15000, ms_more, failed, last_at, last_answered_at, last_client_at
from usage_daily union all select
  user_id, day, server_id, kind, name, calls, answered, credits, ms_5, ms_10, ms_25, ms_50, ms_100, ms_250, ms_500,
  ms_1000, ms_2500, ms_5000, ms_15000, ms_more, failed, last_at, last_answered_at, last_client_at
from usage_parts;

create view usage_of_servers as select
  server_id, day, kind, name, calls, answered, credits, ms_5, ms_10, ms_25, ms_50, ms_100, ms_250, ms_500, ms_1000,
  ms_2500, ms_5000, ms_15000, ms_more, failed
from usage_servers union all select
  server_id, day, kind, name, calls, answered, credits, ms_5, ms_10, ms_25, ms_50, ms_100, ms_250, ms_500, ms_1000,
  ms_2500, ms_5000, ms_15000, ms_more, failed
from usage_parts;
