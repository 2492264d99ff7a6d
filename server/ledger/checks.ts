/**
 * One invariant as plain SQL over the raw rows: returns the rows that break it, worst first, and none when it holds.
 */
export interface Check {
  name: string
  says: string
  sql: string
}

const signed = (account: string) =>
  `case when t.credit = '${account}' then t.amount when t.debit = '${account}' then -t.amount else 0 end`

/** The sums of an account's removed movements: those of archived and expired trades, and expired grants of demo balance. */
const REMOVED = `
            select account_id, sum(transfers)::bigint as transfers, sum(result)::bigint as result, max(last_seq) as last_seq from (
              select account_id, transfers, result, last_seq from archived_sums
              union all select account_id, grants, granted, last_seq from expired_grant_sums
            ) each group by account_id`

/** Costs one lookup for each account, however long its history is. */
export const newestMovement: Check = {
  name: 'L3',
  says: 'an account is as its newest movement left it',
  sql: `select a.id, a.balance, t.balance_after, a.seq, t.account_seq from accounts a
        left join lateral (
          select account_seq, balance_after from transfers where account_id = a.id order by account_seq desc limit 1
        ) t on true
        where a.seq <> coalesce(t.account_seq, 0) or a.balance <> coalesce(t.balance_after, 0)`,
}

/** Invariants L1 to L7, L10, I2 for removed keys, and the order of an account's movements, recomputed from the rows alone. */
export const ledgerChecks: readonly Check[] = [
  {
    name: 'L1',
    says: 'each movement has two different sides, a positive amount, and at least one of them is the trader',
    sql: `select cause, cause_id, part from transfers
          where amount <= 0 or debit = credit
            or not (debit in ('balance','escrow','hold','owed') or credit in ('balance','escrow','hold','owed'))`,
  },
  {
    name: 'L1',
    says: 'each movement takes a route allowed for its cause, and only demo money comes out of the mint',
    sql: `select cause, cause_id, part, debit, credit, mode from transfers
          where (cause, debit, credit) not in (
              ('trade_open', 'balance', 'escrow'),
              ('trade_settle', 'escrow', 'balance'), ('trade_settle', 'house', 'balance'), ('trade_settle', 'escrow', 'house'),
              ('trade_sale', 'escrow', 'balance'), ('trade_sale', 'house', 'balance'), ('trade_sale', 'escrow', 'house'),
              ('deposit_credit', 'external_in', 'balance'), ('deposit_credit', 'external_in', 'owed'),
              ('deposit_reversal', 'balance', 'external_in'), ('deposit_reversal', 'owed', 'external_in'),
              ('deposit_reinstatement', 'external_in', 'balance'), ('deposit_reinstatement', 'external_in', 'owed'),
              ('debt_repayment', 'balance', 'owed'),
              ('withdraw_hold', 'balance', 'hold'), ('withdraw_release', 'hold', 'balance'), ('withdraw_paid', 'hold', 'external_out'),
              ('plan_charge', 'balance', 'house'),
              ('adjust', 'house', 'balance'), ('adjust', 'balance', 'house'), ('adjust', 'house', 'owed'),
              ('trade_remedy', 'house', 'balance'), ('trade_remedy', 'house', 'owed'),
              ('demo_grant', 'mint', 'balance'), ('demo_grant', 'balance', 'mint')
            )
            or (mode = 'demo') <> (debit = 'mint' or credit = 'mint') and cause not in ('trade_open', 'trade_settle', 'trade_sale', 'adjust', 'trade_remedy')`,
  },
  {
    name: 'L2',
    says: 'all accounts of a mode sum to 0',
    sql: `with traders as (select mode, sum(balance + escrow + hold + owed) as total from accounts group by mode),
          others as (
            select mode, sum(case when credit in ('house','external_in','external_out','mint') then amount else 0 end)
                       - sum(case when debit in ('house','external_in','external_out','mint') then amount else 0 end) as total
            from transfers group by mode),
          -- What traders gained in removed movements, the house lost.
          archived as (
            select a.mode, -sum(s.result) as total from (${REMOVED}) s join accounts a on a.id = s.account_id group by a.mode)
          select mode, traders.total as traders, others.total as others, archived.total as archived
          from traders full join others using (mode) full join archived using (mode)
          where coalesce(traders.total, 0) + coalesce(others.total, 0) + coalesce(archived.total, 0) <> 0`,
  },
  {
    name: 'L3',
    says: 'a cached balance equals the sum of its movements',
    sql: `select a.id, a.balance, m.balance as by_movements, a.escrow, m.escrow as escrow_by_movements, a.seq, m.parts
          from accounts a
          left join (
            select t.account_id, count(*) as parts, sum(${signed('balance')}) as balance, sum(${signed('escrow')}) as escrow,
              sum(${signed('hold')}) as hold, sum(${signed('owed')}) as owed
            from transfers t group by t.account_id
          ) m on m.account_id = a.id
          left join (${REMOVED}) s on s.account_id = a.id
          where a.balance <> coalesce(m.balance, 0) + coalesce(s.result, 0) or a.escrow <> coalesce(m.escrow, 0) or a.hold <> coalesce(m.hold, 0)
            or a.owed <> coalesce(m.owed, 0) or a.seq <> coalesce(m.parts, 0) + coalesce(s.transfers, 0)`,
  },
  newestMovement,
  {
    name: 'L3',
    says: 'the database checks every account change and every movement',
    sql: `select * from (values ('accounts', 'accounts_follow_transfers'), ('transfers', 'transfers_move_accounts')) as look(table_name, name)
          where not exists (select from pg_trigger where tgname = name and tgrelid = table_name::regclass and tgenabled = 'O')`,
  },
  {
    name: 'L4',
    says: 'balance, escrow and hold are never below 0, at any point of the history since the newest archived movement',
    sql: `select account_id, account_seq from (
            select t.account_id, t.account_seq, s.last_seq,
              sum(${signed('balance')}) over w + coalesce(s.result, 0) as balance, sum(${signed('escrow')}) over w as escrow, sum(${signed('hold')}) over w as hold
            from transfers t left join (${REMOVED}) s on s.account_id = t.account_id
            window w as (partition by t.account_id order by t.account_seq)
          ) running where account_seq > coalesce(last_seq, 0) and (balance < 0 or escrow < 0 or hold < 0)`,
  },
  {
    name: 'L4',
    says: 'an account that owes has nothing to spend',
    sql: `select id, balance, owed from accounts where owed > 0 or owed < 0 and balance <> 0`,
  },
  {
    name: 'L5',
    says: "the application can't change or remove a movement",
    sql: `select privilege_type from information_schema.role_table_grants
          where table_name = 'transfers' and grantee = 'cleartick_app' and privilege_type in ('UPDATE', 'DELETE', 'TRUNCATE')
          union all
          select 'UPDATE of ' || column_name from information_schema.role_column_grants
          where table_name = 'transfers' and grantee = 'cleartick_app' and privilege_type = 'UPDATE'
          union all
          select name || ' is missing or off' from (values ('transfers_are_final'), ('transfers_leave_archived')) as look(name)
          where not exists (select from pg_trigger where tgname = name and tgrelid = 'transfers'::regclass and tgenabled = 'O')`,
  },
  {
    name: 'L6',
    says: 'no movement joins two modes',
    sql: `select t.cause, t.cause_id, t.part from transfers t left join accounts a on a.id = t.account_id and a.mode = t.mode where a.id is null`,
  },
  {
    name: 'L7',
    says: 'each movement has one cause and part, once',
    sql: `select cause, cause_id, part, count(*) from transfers group by cause, cause_id, part having count(*) > 1`,
  },
  {
    name: 'order',
    says: "an account's movements are numbered without gaps but for archived ones, in the order of time, and carry the balance after them",
    sql: `select account_id, account_seq from (
            select t.account_id, t.account_seq, t.balance_after, t.at, s.last_seq,
              row_number() over w + coalesce(s.transfers, 0) as expected, lag(t.at) over w as at_before,
              sum(${signed('balance')}) over w + coalesce(s.result, 0) as running
            from transfers t left join (${REMOVED}) s on s.account_id = t.account_id
            window w as (partition by t.account_id order by t.account_seq)
          ) rows where at < at_before or case when account_seq > coalesce(last_seq, 0)
            then account_seq <> expected or balance_after <> running else account_seq > expected end`,
  },
  {
    name: 'L10',
    says: 'archived and expired trades sum up to the same by account and by day, and no account ends with an archived movement',
    sql: `with by_account as (
            select sum(s.trades) as trades, sum(s.transfers) as transfers, sum(s.result) filter (where a.mode = 'real') as real_result,
              sum(s.result) filter (where a.mode = 'demo') as demo_result, max(s.last_at) as last_at
            from archived_sums s join accounts a on a.id = s.account_id
          ), by_day as (
            select sum(d.trades) as trades, sum(d.transfers) as transfers, sum(real_result) as real_result, sum(demo_result) as demo_result,
              max(last_at) as last_at
            from (
              select r.trades, r.transfers, r.real_result, r.demo_result, r.last_at from archived_days r
              union all select e.trades, e.transfers, 0, e.result, e.last_at from expired_days e
            ) d
          )
          select null::bigint as account_id, a.trades, d.trades as trades_by_day from by_account a, by_day d
          where a.trades is distinct from d.trades or a.transfers is distinct from d.transfers or a.last_at is distinct from d.last_at
            or coalesce(a.real_result, 0) <> coalesce(d.real_result, 0) or coalesce(a.demo_result, 0) <> coalesce(d.demo_result, 0)
          union all
          select s.account_id, s.transfers, null from (${REMOVED}) s join accounts a on a.id = s.account_id where s.last_seq >= a.seq`,
  },
  {
    name: 'L10',
    says: 'expired grants of demo balance sum up to the same by account and by run, and are of demo accounts',
    sql: `with by_account as (
            select sum(grants) as grants, sum(granted) as granted, max(last_at) as last_at from expired_grant_sums
          ), by_run as (
            select sum(grants) as grants, sum(granted) filter (where grants > 0) as granted, max(last_at) as last_at from expired_grants
          )
          select null::bigint as account_id, a.grants, r.grants as grants_by_run, a.granted, r.granted as granted_by_run
          from by_account a, by_run r
          where coalesce(a.grants, 0) <> coalesce(r.grants, 0) or coalesce(a.granted, 0) <> coalesce(r.granted, 0)
            or a.last_at is distinct from r.last_at
          union all
          select s.account_id, s.grants, null, s.granted, null from expired_grant_sums s join accounts a on a.id = s.account_id
          where a.mode <> 'demo'`,
  },
  {
    // Not of the books: a lost key halts no payouts.
    name: 'I2',
    says: 'keys of demo resets leave together, and the database lets no other key leave',
    sql: `select k.user_id::text, k.at::text from request_keys k
          where k.effect = 'demo_reset'
            and (k.at at time zone 'UTC')::date < (select max(until) from expired_grants)
          union all
          select name, 'is missing or off' from (values ('request_keys_are_final'), ('request_keys_are_kept'), ('request_keys_expire')) as look(name)
          where not exists (select from pg_trigger where tgname = name and tgrelid = 'request_keys'::regclass and tgenabled = 'O')`,
  },
  {
    // Not of the books: a lost key halts no payouts.
    name: 'I2',
    says: 'as many keys of archived trades are kept as were archived',
    sql: `select d.keys as archived, k.kept from (
              select coalesce((select sum(keys) from archived_days), 0) + coalesce((select sum(keys) from expired_days), 0) as keys
            ) d,
            (select count(*) as kept from request_keys where effect = 'archived_trade') k
          where d.keys <> k.kept`,
  },
]
