-- Made by `npm run db:dump` from db/migrations; do not edit.

create type book as enum ('real', 'demo');

create type cause as enum ('trade_open', 'trade_settle', 'deposit_credit', 'withdraw_hold', 'withdraw_paid', 'withdraw_release', 'plan_charge', 'adjust', 'deposit_reversal', 'demo_grant');

create type slot as enum ('balance', 'escrow', 'hold', 'owed', 'house', 'external_in', 'external_out', 'mint');

create type trade_mode as enum ('Buy', 'Sell');

create type trade_status as enum ('Pending', 'Won', 'Lost', 'Draw', 'Void');

create sequence node_numbers as integer;

CREATE OR REPLACE FUNCTION public.accounts_begin_empty()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.balance <> 0 or new.escrow <> 0 or new.hold <> 0 or new.owed <> 0 or new.seq <> 0 then
    raise exception 'account % does not begin empty', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.accounts_follow_transfers()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  broken bigint;
begin
  -- Old rows count against new ones: one pass and one sort, however many accounts a statement touches. (A join of the two
  -- would be planned for the first statement of a session and kept for the largest.)
  select d.id into broken
  from (
    select id, max(seq) as seq_to, min(seq) as seq_from, sum(sign * balance) as balance, sum(sign * escrow) as escrow,
      sum(sign * hold) as hold, sum(sign * owed) as owed
    from (
      select id, seq, balance, escrow, hold, owed, 1 as sign from changed_to
      union all
      select id, seq, balance, escrow, hold, owed, -1 from changed_from
    ) both_sides
    group by id
  ) d
  left join lateral (
    select count(*) as parts,
      coalesce(sum(case when t.credit = 'balance' then t.amount when t.debit = 'balance' then -t.amount else 0 end), 0) as balance,
      coalesce(sum(case when t.credit = 'escrow' then t.amount when t.debit = 'escrow' then -t.amount else 0 end), 0) as escrow,
      coalesce(sum(case when t.credit = 'hold' then t.amount when t.debit = 'hold' then -t.amount else 0 end), 0) as hold,
      coalesce(sum(case when t.credit = 'owed' then t.amount when t.debit = 'owed' then -t.amount else 0 end), 0) as owed
    from transfers t where t.account_id = d.id and t.account_seq > d.seq_from and t.account_seq <= d.seq_to
  ) m on true
  where m.parts <> d.seq_to - d.seq_from or m.balance <> d.balance or m.escrow <> d.escrow or m.hold <> d.hold or m.owed <> d.owed
  limit 1;
  if found then
    raise exception 'account % changes by something else than its movements', broken using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% on % is refused: its rows are final', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end
$function$
;

CREATE OR REPLACE FUNCTION public.transfers_move_accounts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  broken bigint;
begin
  select t.account_id into broken
  from added t
  left join lateral (select a.seq from accounts a where a.id = t.account_id and a.book = t.book) a on true
  where a.seq is null or a.seq < t.account_seq
  limit 1;
  if found then
    raise exception 'account % does not take part in a movement of its own', broken using errcode = 'foreign_key_violation';
  end if;
  return null;
end
$function$
;

create table accounts (
  id bigint not null,
  user_id bigint not null,
  book book not null,
  balance bigint not null default 0,
  escrow bigint not null default 0,
  hold bigint not null default 0,
  owed bigint not null default 0,
  seq bigint not null default 0,
  last_at timestamp with time zone not null default clock_timestamp(),
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_demo_has_no_requests CHECK (((book = 'real'::book) OR ((hold = 0) AND (owed = 0)))),
  constraint accounts_id_names_user_and_book CHECK ((id = ((user_id * 2) +
CASE book
    WHEN 'demo'::book THEN 1
    ELSE 0
END))),
  constraint accounts_never_below_zero CHECK (((balance >= 0) AND (escrow >= 0) AND (hold >= 0))),
  constraint accounts_owed_is_a_debt CHECK ((owed <= 0))
) with (fillfactor=60);
CREATE TRIGGER accounts_begin_empty BEFORE INSERT ON public.accounts FOR EACH ROW EXECUTE FUNCTION accounts_begin_empty();
CREATE TRIGGER accounts_follow_transfers AFTER UPDATE ON public.accounts REFERENCING OLD TABLE AS changed_from NEW TABLE AS changed_to FOR EACH STATEMENT EXECUTE FUNCTION accounts_follow_transfers();
grant insert, select on accounts to cleartick_app;

create table candles (
  symbol_id smallint not null,
  minute bigint not null,
  open bigint not null,
  high bigint not null,
  low bigint not null,
  close bigint not null,
  constraint candles_pkey PRIMARY KEY (symbol_id, minute),
  constraint candles_symbol_id_fkey FOREIGN KEY (symbol_id) REFERENCES instruments(id),
  constraint candles_check CHECK (((low > 0) AND (low <= open) AND (low <= close) AND (high >= open) AND (high >= close))),
  constraint candles_minute_check CHECK (((minute % (60000)::bigint) = 0))
);
CREATE TRIGGER candles_final BEFORE UPDATE ON public.candles FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on candles to cleartick_app;

create table demo_resets (
  user_id bigint not null,
  key text not null,
  fingerprint bytea not null,
  cause_id bigint not null,
  constraint demo_resets_pkey PRIMARY KEY (user_id, key),
  constraint demo_resets_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
);
grant insert, select on demo_resets to cleartick_app;

create table frames (
  n bigint not null,
  t bigint not null,
  hash bytea not null,
  body bytea not null,
  constraint frames_t_key UNIQUE (t),
  constraint frames_pkey PRIMARY KEY (n),
  constraint frames_hash_check CHECK ((octet_length(hash) = 32)),
  constraint frames_n_check CHECK ((n > 0))
);
CREATE TRIGGER frames_final BEFORE UPDATE ON public.frames FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant delete, insert, select on frames to cleartick_app;

create table identity_checks (
  id bigint generated always as identity not null,
  user_id bigint not null,
  method text not null,
  status text not null default 'Pending'::text,
  reason text,
  file text,
  created_at timestamp with time zone not null default clock_timestamp(),
  decided_at timestamp with time zone,
  superseded_at timestamp with time zone,
  constraint identity_checks_file_key UNIQUE (file),
  constraint identity_checks_pkey PRIMARY KEY (id),
  constraint identity_checks_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint identity_checks_decided CHECK (((status = 'Pending'::text) = (decided_at IS NULL))),
  constraint identity_checks_method_check CHECK ((method = ANY (ARRAY['drivers_license'::text, 'international_passport'::text, 'national_id'::text, 'others'::text]))),
  constraint identity_checks_picture CHECK (((file IS NOT NULL) OR (superseded_at IS NOT NULL))),
  constraint identity_checks_reason CHECK (((status <> 'Rejected'::text) OR (reason IS NOT NULL))),
  constraint identity_checks_reason_check CHECK ((length(reason) <= 500)),
  constraint identity_checks_status_check CHECK ((status = ANY (ARRAY['Pending'::text, 'Approved'::text, 'Rejected'::text])))
);
CREATE INDEX identity_checks_of_user ON public.identity_checks USING btree (user_id);
CREATE UNIQUE INDEX identity_checks_living ON public.identity_checks USING btree (user_id) WHERE (superseded_at IS NULL);
CREATE TRIGGER identity_checks_decided_once BEFORE UPDATE ON public.identity_checks FOR EACH ROW WHEN (((old.status <> 'Pending'::text) AND (((new.status IS DISTINCT FROM old.status) OR (new.reason IS DISTINCT FROM old.reason)) OR (new.decided_at IS DISTINCT FROM old.decided_at)))) EXECUTE FUNCTION refuse_change();
grant insert, select, update on identity_checks to cleartick_app;

create table instruments (
  id smallint not null,
  symbol text not null,
  base text not null,
  quote text not null,
  trading_type text,
  scale smallint not null,
  stale_after_ms integer not null default 10000,
  not_live_reason text,
  constraint instruments_symbol_key UNIQUE (symbol),
  constraint instruments_pkey PRIMARY KEY (id),
  constraint instruments_scale_check CHECK (((scale >= 0) AND (scale <= 15))),
  constraint instruments_stale_after_ms_check CHECK (((stale_after_ms >= 1000) AND (stale_after_ms <= 600000))),
  constraint instruments_symbol_check CHECK ((symbol ~ '^[A-Z0-9]{2,20}$'::text)),
  constraint instruments_trading_type_check CHECK ((trading_type = ANY (ARRAY['Cryptocurrency'::text, 'Currencies'::text])))
);
grant select on instruments to cleartick_app;

create table mails (
  id bigint generated always as identity not null,
  recipient text not null,
  subject text not null,
  text text not null,
  html text not null,
  links text[] not null default '{}'::text[],
  created_at timestamp with time zone not null default clock_timestamp(),
  state text not null default 'waiting'::text,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone not null default clock_timestamp(),
  last_error text,
  finished_at timestamp with time zone,
  constraint mails_pkey PRIMARY KEY (id),
  constraint mails_recipient_check CHECK ((length(recipient) <= 254)),
  constraint mails_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'failed'::text]))),
  constraint mails_subject_check CHECK ((subject !~ '[[:cntrl:]]'::text))
);
CREATE INDEX mails_of_recipient ON public.mails USING btree (lower(recipient), id);
CREATE INDEX mails_waiting ON public.mails USING btree (next_attempt_at) WHERE (state = 'waiting'::text);
grant delete, insert, select, update on mails to cleartick_app;

create table notices (
  id bigint generated always as identity not null,
  user_id bigint not null,
  kind text not null,
  title text not null,
  text text not null,
  path text not null default ''::text,
  at timestamp with time zone not null default clock_timestamp(),
  read_at timestamp with time zone,
  constraint notices_pkey PRIMARY KEY (id),
  constraint notices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint notices_kind_check CHECK ((kind = ANY (ARRAY['deposit'::text, 'withdraw'::text, 'verification'::text, 'plan'::text, 'security'::text, 'account'::text, 'trade'::text]))),
  constraint notices_path_check CHECK (((path = ''::text) OR (path ~ '^/user/[a-z-]+$'::text))),
  constraint notices_text_check CHECK ((length(text) <= 1000)),
  constraint notices_title_check CHECK (((length(title) >= 1) AND (length(title) <= 120)))
);
CREATE INDEX notices_of_user ON public.notices USING btree (user_id, id);
CREATE INDEX notices_unread ON public.notices USING btree (user_id) WHERE (read_at IS NULL);
grant insert, select on notices to cleartick_app;

create table one_time_tokens (
  hash bytea not null,
  purpose text not null,
  user_id bigint not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint one_time_tokens_pkey PRIMARY KEY (hash),
  constraint one_time_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint one_time_tokens_hash_check CHECK ((length(hash) = 32)),
  constraint one_time_tokens_purpose_check CHECK ((purpose = ANY (ARRAY['onboarding'::text, 'confirm_email'::text, 'reset_password'::text])))
);
CREATE INDEX one_time_tokens_of_user ON public.one_time_tokens USING btree (user_id) WHERE (used_at IS NULL);
CREATE INDEX one_time_tokens_running_out ON public.one_time_tokens USING btree (expires_at);
grant delete, insert, select, update on one_time_tokens to cleartick_app;

create table plan_charges (
  id bigint generated always as identity not null,
  user_id bigint not null,
  from_plan text not null,
  plan text not null,
  amount bigint not null,
  request_id bigint,
  key text,
  fingerprint bytea,
  at timestamp with time zone not null default clock_timestamp(),
  constraint plan_charges_request_id_key UNIQUE (request_id),
  constraint plan_charges_pkey PRIMARY KEY (id),
  constraint plan_charges_request_id_fkey FOREIGN KEY (request_id) REFERENCES plan_requests(id),
  constraint plan_charges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint plan_charges_amount_check CHECK ((amount > 0)),
  constraint plan_charges_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255))),
  constraint plan_charges_key_whole CHECK (((key IS NULL) = (fingerprint IS NULL))),
  constraint plan_charges_price CHECK ((amount = (100 * ((split_part(plan, '-'::text, 2))::bigint - COALESCE((NULLIF(split_part(from_plan, '-'::text, 2), ''::text))::bigint, (0)::bigint))))),
  constraint plan_charges_requested CHECK (((from_plan = ''::text) = (request_id IS NULL)))
);
CREATE UNIQUE INDEX plan_charges_key ON public.plan_charges USING btree (user_id, key) WHERE (key IS NOT NULL);
CREATE UNIQUE INDEX plan_charges_step ON public.plan_charges USING btree (user_id, from_plan);
CREATE TRIGGER plan_charges_are_final BEFORE DELETE OR UPDATE ON public.plan_charges FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on plan_charges to cleartick_app;

create table plan_requests (
  id bigint generated always as identity not null,
  user_id bigint not null,
  from_plan text not null,
  plan text not null,
  status text not null default 'Pending'::text,
  reason text,
  requested_at timestamp with time zone not null default clock_timestamp(),
  decided_at timestamp with time zone,
  constraint plan_requests_pkey PRIMARY KEY (id),
  constraint plan_requests_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint plan_requests_decided CHECK (((status = 'Pending'::text) = (decided_at IS NULL))),
  constraint plan_requests_from_plan_check CHECK ((from_plan = ANY (ARRAY['Beginner-3000'::text, 'Gold-7600'::text, 'Platinum-21199'::text]))),
  constraint plan_requests_plan_check CHECK ((plan = ANY (ARRAY['Gold-7600'::text, 'Platinum-21199'::text, 'Diamond-50730'::text]))),
  constraint plan_requests_reason CHECK (((status = 'Rejected'::text) = (reason IS NOT NULL))),
  constraint plan_requests_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  constraint plan_requests_status_check CHECK ((status = ANY (ARRAY['Pending'::text, 'Approved'::text, 'Rejected'::text]))),
  constraint plan_requests_upwards CHECK (((split_part(plan, '-'::text, 2))::integer > (split_part(from_plan, '-'::text, 2))::integer))
);
CREATE INDEX plan_requests_of_user ON public.plan_requests USING btree (user_id, id);
CREATE UNIQUE INDEX plan_requests_pending ON public.plan_requests USING btree (user_id) WHERE (status = 'Pending'::text);
CREATE TRIGGER plan_requests_decided_once BEFORE UPDATE ON public.plan_requests FOR EACH ROW WHEN ((old.status <> 'Pending'::text)) EXECUTE FUNCTION refuse_change();
grant insert, select on plan_requests to cleartick_app;

create table reset_requests (
  id bigint generated always as identity not null,
  email text not null,
  asked_at timestamp with time zone not null default clock_timestamp(),
  constraint reset_requests_pkey PRIMARY KEY (id),
  constraint reset_requests_email_check CHECK ((length(email) <= 254))
);
grant delete, insert, select on reset_requests to cleartick_app;

create table session_tokens (
  renewal_hash bytea not null,
  session_id bigint not null,
  access_hash bytea not null,
  access_expires_at timestamp with time zone not null,
  renewed_at timestamp with time zone,
  child_hash bytea,
  sealed_child bytea,
  constraint session_tokens_access_hash_key UNIQUE (access_hash),
  constraint session_tokens_pkey PRIMARY KEY (renewal_hash),
  constraint session_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint session_tokens_access_hash_check CHECK ((length(access_hash) = 32)),
  constraint session_tokens_child_whole CHECK ((num_nulls(renewed_at, child_hash) = ANY (ARRAY[0, 2]))),
  constraint session_tokens_renewal_hash_check CHECK ((length(renewal_hash) = 32))
);
CREATE INDEX session_tokens_of_session ON public.session_tokens USING btree (session_id);
grant delete, insert, select, update on session_tokens to cleartick_app;

create table sessions (
  id bigint generated always as identity not null,
  user_id bigint not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  last_seen_at timestamp with time zone not null default clock_timestamp(),
  expires_at timestamp with time zone not null,
  remembered boolean not null,
  device text not null,
  address text not null,
  ended_at timestamp with time zone,
  end_reason text,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint sessions_address_check CHECK ((length(address) <= 64)),
  constraint sessions_device_check CHECK ((length(device) <= 60)),
  constraint sessions_end_reason_check CHECK ((end_reason = ANY (ARRAY['signed_out'::text, 'ended_by_owner'::text, 'password_changed'::text, 'password_reset'::text, 'token_reused'::text, 'account_replaced'::text, 'sign_in_locked'::text]))),
  constraint sessions_end_whole CHECK ((num_nulls(ended_at, end_reason) = ANY (ARRAY[0, 2])))
);
CREATE INDEX sessions_ended ON public.sessions USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX sessions_of_user ON public.sessions USING btree (user_id, id);
CREATE INDEX sessions_running_out ON public.sessions USING btree (expires_at) WHERE (ended_at IS NULL);
grant delete, insert, select, update on sessions to cleartick_app;

create table simulated_history (
  symbol_id smallint not null,
  until bigint not null,
  price bigint,
  seed bytea not null,
  packed bytea not null,
  constraint simulated_history_pkey PRIMARY KEY (symbol_id),
  constraint simulated_history_symbol_id_fkey FOREIGN KEY (symbol_id) REFERENCES instruments(id)
);
grant insert, select, update on simulated_history to cleartick_app;

create table symbol_open (
  symbol_id smallint not null,
  open_max bigint not null,
  open bigint not null default 0,
  constraint symbol_open_pkey PRIMARY KEY (symbol_id),
  constraint symbol_open_symbol_id_fkey FOREIGN KEY (symbol_id) REFERENCES instruments(id),
  constraint symbol_open_open_check CHECK ((open >= 0)),
  constraint symbol_open_open_max_check CHECK ((open_max >= 0))
) with (fillfactor=50);
grant select on symbol_open to cleartick_app;

create table tape_bodies (
  minute bigint not null,
  packed bytea not null,
  constraint tape_bodies_pkey PRIMARY KEY (minute),
  constraint tape_bodies_minute_fkey FOREIGN KEY (minute) REFERENCES tape_minutes(minute)
);
CREATE TRIGGER tape_bodies_final BEFORE UPDATE ON public.tape_bodies FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant delete, insert, select on tape_bodies to cleartick_app;

create table tape_head (
  id boolean not null default true,
  number bigint not null,
  t bigint not null,
  hash bytea not null,
  epoch integer not null default 1,
  constraint tape_head_pkey PRIMARY KEY (id),
  constraint tape_head_hash_check CHECK ((octet_length(hash) = 32)),
  constraint tape_head_id_check CHECK (id),
  constraint tape_head_number_check CHECK ((number >= 0))
) with (fillfactor=50);
grant select, update on tape_head to cleartick_app;

create table tape_kinds (
  symbol_id smallint not null,
  source_ms bigint not null,
  kind smallint not null,
  constraint tape_kinds_pkey PRIMARY KEY (symbol_id, source_ms),
  constraint tape_kinds_symbol_id_fkey FOREIGN KEY (symbol_id) REFERENCES instruments(id),
  constraint tape_kinds_kind_check CHECK (((kind >= 0) AND (kind <= 2)))
);
CREATE TRIGGER tape_kinds_final BEFORE DELETE OR UPDATE ON public.tape_kinds FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on tape_kinds to cleartick_app;

create table tape_minutes (
  minute bigint not null,
  first_n bigint not null,
  last_n bigint not null,
  chain bytea not null,
  last_hash bytea not null,
  constraint tape_minutes_first_n_key UNIQUE (first_n),
  constraint tape_minutes_pkey PRIMARY KEY (minute),
  constraint tape_minutes_check CHECK ((last_n >= first_n)),
  constraint tape_minutes_check1 CHECK ((octet_length(chain) = (34 * ((last_n - first_n) + 1)))),
  constraint tape_minutes_last_hash_check CHECK ((octet_length(last_hash) = 32)),
  constraint tape_minutes_minute_check CHECK (((minute % (60000)::bigint) = 0))
);
CREATE TRIGGER tape_minutes_final BEFORE DELETE OR UPDATE ON public.tape_minutes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on tape_minutes to cleartick_app;

create table ticks (
  symbol_id smallint not null,
  source_ms bigint not null,
  seq bigint not null,
  price bigint not null,
  kind smallint not null,
  frame bigint not null,
  constraint ticks_pkey PRIMARY KEY (symbol_id, source_ms),
  constraint ticks_symbol_id_fkey FOREIGN KEY (symbol_id) REFERENCES instruments(id),
  constraint ticks_kind_check CHECK (((kind >= 0) AND (kind <= 2))),
  constraint ticks_price_check CHECK ((price > 0)),
  constraint ticks_seq_check CHECK ((seq > 0))
);
CREATE TRIGGER ticks_final BEFORE UPDATE ON public.ticks FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant delete, insert, select on ticks to cleartick_app;

create table trades (
  id bigint not null,
  account_id bigint not null,
  book book not null,
  symbol_id smallint not null,
  source_kind smallint not null,
  stale_after_ms integer not null,
  trade_mode trade_mode not null,
  strike_rate text not null,
  percent smallint not null,
  stake bigint not null,
  duration_seconds integer not null,
  trade_time bigint not null,
  end_time bigint not null,
  rule_version text not null default 'FT-1'::text,
  key text,
  fingerprint bytea,
  status trade_status not null default 'Pending'::trade_status,
  entry_price bigint,
  entry_time bigint,
  entry_seq bigint,
  exit_price bigint,
  exit_time bigint,
  exit_seq bigint,
  settled_at timestamp with time zone,
  payout bigint,
  outcome_reason text,
  constraint trades_pkey PRIMARY KEY (id),
  constraint trades_one_book CHECK ((((account_id % (2)::bigint) = 1) = (book = 'demo'::book))),
  constraint trades_outcome CHECK ((
CASE status
    WHEN 'Pending'::trade_status THEN ((payout IS NULL) AND (settled_at IS NULL) AND (exit_price IS NULL) AND (outcome_reason IS NULL))
    WHEN 'Void'::trade_status THEN (payout = stake)
    WHEN 'Draw'::trade_status THEN ((payout = stake) AND (exit_price = entry_price))
    WHEN 'Won'::trade_status THEN ((payout = (stake + (((stake * percent) + 50) / 100))) AND
    CASE trade_mode
        WHEN 'Buy'::trade_mode THEN (exit_price > entry_price)
        ELSE (exit_price < entry_price)
    END)
    WHEN 'Lost'::trade_status THEN ((payout = 0) AND
    CASE trade_mode
        WHEN 'Buy'::trade_mode THEN (exit_price < entry_price)
        ELSE (exit_price > entry_price)
    END)
    ELSE NULL::boolean
END AND ((status = 'Pending'::trade_status) OR ((settled_at IS NOT NULL) AND (outcome_reason IS NOT NULL))) AND ((status = ANY (ARRAY['Pending'::trade_status, 'Void'::trade_status])) OR ((entry_price IS NOT NULL) AND (exit_price IS NOT NULL))))),
  constraint trades_terms CHECK (((stake >= 100) AND ((percent >= 1) AND (percent <= 100)) AND (duration_seconds > 0) AND (end_time = (trade_time + (duration_seconds * (1000)::bigint))) AND ((key IS NULL) = (fingerprint IS NULL)) AND (length(key) <= 255))),
  constraint trades_ticks CHECK ((((entry_price IS NULL) = (entry_time IS NULL)) AND ((entry_price IS NULL) = (entry_seq IS NULL)) AND ((exit_price IS NULL) = (exit_time IS NULL)) AND ((exit_price IS NULL) = (exit_seq IS NULL)) AND ((entry_time IS NULL) OR ((entry_time > trade_time) AND (entry_time <= (trade_time + 10000)))) AND ((exit_time IS NULL) OR ((exit_time > entry_time) AND (exit_time <= end_time) AND (exit_time >= (end_time - stale_after_ms))))))
) with (fillfactor=80);
CREATE INDEX trades_due ON public.trades USING btree (symbol_id, end_time) WHERE (status = 'Pending'::trade_status);
CREATE INDEX trades_history ON public.trades USING btree (account_id, id);
CREATE UNIQUE INDEX trades_key ON public.trades USING btree (((account_id / 2)), key) WHERE (key IS NOT NULL);
CREATE TRIGGER trades_enter_once BEFORE UPDATE ON public.trades FOR EACH ROW WHEN (((old.entry_seq IS NOT NULL) AND (new.entry_seq IS DISTINCT FROM old.entry_seq))) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER trades_settle_once BEFORE UPDATE ON public.trades FOR EACH ROW WHEN ((old.status <> 'Pending'::trade_status)) EXECUTE FUNCTION refuse_change();
grant insert, select on trades to cleartick_app;

create table trading_limits (
  only_row boolean not null default true,
  stake_max bigint not null default 1000000,
  open_stake_max bigint not null default 5000000,
  constraint trading_limits_pkey PRIMARY KEY (only_row),
  constraint trading_limits_only_row_check CHECK (only_row),
  constraint trading_limits_open_stake_max_check CHECK ((open_stake_max >= 100)),
  constraint trading_limits_stake_max_check CHECK ((stake_max >= 100))
);
grant select on trading_limits to cleartick_app;

create table transfers (
  cause cause not null,
  cause_id bigint not null,
  part smallint not null,
  account_id bigint not null,
  book book not null,
  debit slot not null,
  credit slot not null,
  amount bigint not null,
  account_seq bigint not null,
  balance_after bigint not null,
  at timestamp with time zone not null,
  constraint transfers_account_seq UNIQUE (account_id, account_seq),
  constraint transfers_pkey PRIMARY KEY (cause, cause_id, part),
  constraint transfers_demo_is_play CHECK ((((book = 'demo'::book) = ((debit = 'mint'::slot) OR (credit = 'mint'::slot))) OR (cause = ANY (ARRAY['trade_open'::cause, 'trade_settle'::cause, 'adjust'::cause])))),
  constraint transfers_one_book CHECK ((((account_id % (2)::bigint) = 1) = (book = 'demo'::book))),
  constraint transfers_positive CHECK (((amount > 0) AND (balance_after >= 0) AND (part > 0))),
  constraint transfers_published_ways CHECK (((((((((((((((((((cause = 'trade_open'::cause) AND (debit = 'balance'::slot) AND (credit = 'escrow'::slot)) OR ((cause = 'trade_settle'::cause) AND (debit = 'escrow'::slot) AND (credit = 'balance'::slot))) OR ((cause = 'trade_settle'::cause) AND (debit = 'house'::slot) AND (credit = 'balance'::slot))) OR ((cause = 'trade_settle'::cause) AND (debit = 'escrow'::slot) AND (credit = 'house'::slot))) OR ((cause = 'deposit_credit'::cause) AND (debit = 'external_in'::slot) AND (credit = 'balance'::slot))) OR ((cause = 'deposit_credit'::cause) AND (debit = 'external_in'::slot) AND (credit = 'owed'::slot))) OR ((cause = 'deposit_reversal'::cause) AND (debit = 'balance'::slot) AND (credit = 'external_in'::slot))) OR ((cause = 'deposit_reversal'::cause) AND (debit = 'owed'::slot) AND (credit = 'external_in'::slot))) OR ((cause = 'withdraw_hold'::cause) AND (debit = 'balance'::slot) AND (credit = 'hold'::slot))) OR ((cause = 'withdraw_release'::cause) AND (debit = 'hold'::slot) AND (credit = 'balance'::slot))) OR ((cause = 'withdraw_paid'::cause) AND (debit = 'hold'::slot) AND (credit = 'external_out'::slot))) OR ((cause = 'plan_charge'::cause) AND (debit = 'balance'::slot) AND (credit = 'house'::slot))) OR ((cause = 'adjust'::cause) AND (debit = 'house'::slot) AND (credit = 'balance'::slot))) OR ((cause = 'adjust'::cause) AND (debit = 'balance'::slot) AND (credit = 'house'::slot))) OR ((cause = 'adjust'::cause) AND (debit = 'house'::slot) AND (credit = 'owed'::slot))) OR ((cause = 'demo_grant'::cause) AND (debit = 'mint'::slot) AND (credit = 'balance'::slot))) OR ((cause = 'demo_grant'::cause) AND (debit = 'balance'::slot) AND (credit = 'mint'::slot))))
);
CREATE TRIGGER transfers_are_final BEFORE DELETE OR UPDATE ON public.transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_are_kept BEFORE TRUNCATE ON public.transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_move_accounts AFTER INSERT ON public.transfers REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION transfers_move_accounts();
grant insert, select on transfers to cleartick_app;

create table users (
  id bigint generated always as identity not null,
  email text not null,
  email_confirmed_at timestamp with time zone,
  password_hash text not null,
  firstname text not null,
  lastname text not null,
  phone text not null default ''::text,
  gender text not null default ''::text,
  date_of_birth date,
  country text not null default ''::text,
  state text not null default ''::text,
  city text not null default ''::text,
  address text not null default ''::text,
  avatar text,
  referral_code text not null,
  referred_by bigint,
  trading_plan text not null default ''::text,
  plan_request text,
  plan_request_status text,
  plan_requested_at timestamp with time zone,
  sign_in_locked_at timestamp with time zone,
  sign_in_lock_reason text,
  created_at timestamp with time zone not null default clock_timestamp(),
  ended_at timestamp with time zone,
  constraint users_avatar UNIQUE (avatar),
  constraint users_referral_code UNIQUE (referral_code),
  constraint users_pkey PRIMARY KEY (id),
  constraint users_referred_by_fkey FOREIGN KEY (referred_by) REFERENCES users(id),
  constraint users_address_check CHECK ((length(address) <= 200)),
  constraint users_avatar_name CHECK ((avatar ~ '^[0-9a-f]{40}$'::text)),
  constraint users_city_check CHECK ((length(city) <= 100)),
  constraint users_country_check CHECK ((length(country) <= 100)),
  constraint users_email_check CHECK ((((length(email) >= 3) AND (length(email) <= 254)) AND (email !~ '[[:cntrl:][:space:],:;<>"]'::text))),
  constraint users_ended_unconfirmed CHECK (((ended_at IS NULL) OR (email_confirmed_at IS NULL))),
  constraint users_firstname_check CHECK (((length(firstname) >= 1) AND (length(firstname) <= 60))),
  constraint users_gender_check CHECK ((gender = ANY (ARRAY[''::text, 'male'::text, 'female'::text, 'others'::text]))),
  constraint users_lastname_check CHECK (((length(lastname) >= 1) AND (length(lastname) <= 60))),
  constraint users_on_the_ladder CHECK ((trading_plan = ANY (ARRAY[''::text, 'Beginner-3000'::text, 'Gold-7600'::text, 'Platinum-21199'::text, 'Diamond-50730'::text]))),
  constraint users_phone_check CHECK ((length(phone) <= 32)),
  constraint users_plan_request_whole CHECK ((num_nulls(plan_request, plan_request_status, plan_requested_at) = ANY (ARRAY[0, 3]))),
  constraint users_referral_code_check CHECK ((referral_code ~ '^[A-Z]{8}$'::text)),
  constraint users_state_check CHECK ((length(state) <= 100))
);
CREATE UNIQUE INDEX users_living_email ON public.users USING btree (lower(email)) WHERE (ended_at IS NULL);
grant insert, select, update on users to cleartick_app;
