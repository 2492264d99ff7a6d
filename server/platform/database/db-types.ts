/** Made by `npm run db:dump` from the migrated schema; do not edit. */
import type { Generated, GeneratedAlways } from 'kysely'
import type { OperatorRole, StrategyKey, StrikeChoice, StrikeRate } from '#contract/terms.ts'
import type { Usd } from '#kernel/money.ts'

export interface DB {
  account_closures: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    requested_at: Generated<Date>
    due_at: Generated<Date>
    kept_at: Date | null
    closed_at: Date | null
  }
  accounts: {
    id: bigint
    user_id: bigint
    mode: 'real' | 'demo'
    balance: Generated<Usd>
    escrow: Generated<Usd>
    hold: Generated<Usd>
    owed: Generated<Usd>
    seq: Generated<bigint>
    last_at: Generated<Date>
    trading_locked: Generated<boolean>
    guarded: Generated<boolean>
    counted_on: Generated<string>
    staked_day: Generated<bigint>
    staked_week: Generated<bigint>
    staked_month: Generated<bigint>
    lost_day: Generated<bigint>
    lost_week: Generated<bigint>
    lost_month: Generated<bigint>
  }
  adjustments: {
    id: bigint
    user_id: bigint
    mode: 'real' | 'demo'
    amount: Usd
  }
  alert_head: {
    judged_ms: bigint
  }
  alert_trades: {
    user_id: bigint
    trade_id: bigint
    kind: 'deposit' | 'withdraw' | 'verification' | 'plan' | 'security' | 'account' | 'trade' | 'automatic' | 'alert' | 'trade-ending' | 'trade-settled' | 'order'
    at: Generated<Date>
  }
  alerts: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    slot: number
    kind: 'price' | 'move' | 'indicator'
    symbol_id: number
    direction: 'up' | 'down' | 'either'
    level: bigint | null
    rises: boolean | null
    basis_points: number | null
    minutes: number | null
    indicator: string | null
    inputs: number[] | null
    output: string | null
    interval_ms: number | null
    threshold: number | null
    base_price: bigint
    base_seq: bigint
    base_ms: bigint
    arming: Generated<number>
    armed_at: Generated<Date>
    changed: Generated<string>
    fired_at: Date | null
    fired_price: bigint | null
    fired_seq: bigint | null
    fired_ms: bigint | null
    fired_value: number | null
    notice_id: bigint | null
    unchecked_from: bigint | null
    unchecked_until: bigint | null
  }
  approval_limits: {
    since: Generated<Date>
    deposit_two_person_above: Usd
    withdrawal_two_person_above: Usd
    deposit_operator_day_above: Usd
    withdrawal_operator_day_above: Usd
    of_rejections: Generated<boolean>
  }
  archived_days: {
    day: string
    trades: bigint
    transfers: bigint
    real_result: bigint
    demo_result: bigint
    last_at: Date
    leaves: Buffer
    object: string
    parts: number
    sha256: Buffer
    bytes: bigint
    archived_at: Generated<Date>
    removed_in: Generated<string>
    keys: number | null
  }
  archived_sums: {
    account_id: bigint
    trades: bigint
    transfers: bigint
    result: bigint
    last_seq: bigint
    last_at: Date
  }
  audit: {
    n: bigint
    at: Date
    operator_id: bigint | null
    operator: string
    action: string
    item_kind: string
    item_id: string
    user_id: bigint | null
    before: unknown | null
    after: unknown | null
    why: Generated<string>
    previous: Buffer
    hash: Buffer
  }
  audit_head: {
    only_row: Generated<boolean>
    n: bigint
    hash: Buffer
  }
  automatic_orders: {
    signal: bigint
    account_id: bigint
    mode: 'real' | 'demo'
    signal_at: bigint
    at: bigint
    day: string
    slot: number | null
    stake: Usd
    status: 'Reserved' | 'Traded' | 'Skipped'
    reason: 'stale' | 'day' | 'limit' | 'balance' | 'stop' | 'locked' | 'closed' | 'ended' | 'profit' | 'pause' | 'odds' | null
    trade_id: bigint | null
    payout: Usd | null
    stopped: Generated<boolean>
    paused_until: bigint | null
  }
  automatic_summaries: {
    account_id: bigint
    day: string
    sent_at: Generated<Date>
  }
  automations: {
    account_id: bigint
    mode: 'real' | 'demo'
    days: number
    from_hour: number
    to_hour: number
    loss_a_day: Usd
    loss_in_all: Usd
    trades_a_day: number
    losses_in_row: number | null
    state: Generated<'Off' | 'Running' | 'Paused' | 'Stopped'>
    stop_reason: string | null
    counted_after: Generated<bigint>
    started_at: Date | null
    confirmed: string | null
    idle_until: Generated<bigint>
    idle_reason: 'stale' | 'day' | 'limit' | 'balance' | 'stop' | 'locked' | 'closed' | 'ended' | 'profit' | 'pause' | 'odds' | null
    confirmed_method: number | null
    time_zone: Generated<string>
    profit_a_day: bigint | null
    profit_in_all: bigint | null
    pause_losses: number | null
    pause_minutes: number | null
    pause_counted_after: Generated<bigint>
    settings_after: Generated<bigint>
  }
  candles: {
    symbol_id: number
    minute: bigint
    open: bigint
    high: bigint
    low: bigint
    close: bigint
    entry: bigint | null
    exit: bigint | null
  }
  capital: {
    seq: number
    move_id: bigint | null
    amount: Usd
    capital_after: Usd
    at: Date
  }
  capital_grace: {
    only_row: Generated<boolean>
    until: Date
  }
  capital_moves: {
    id: bigint
    amount: Usd
    reference: string
  }
  card_events: {
    id: string
    kind: string
    deposit_id: bigint | null
    at: Generated<Date>
    payment: string | null
    reference: string | null
    amount: Usd | null
    effect: 'taken' | 'returned' | null
  }
  cashier_settings: {
    only_row: Generated<boolean>
    deposit_two_person_above: Generated<Usd>
    withdrawal_two_person_above: Generated<Usd>
    withdrawals_need_identity: Generated<boolean>
    btc_address: string | null
    btc_extended_key: string | null
    eth_address: string | null
    eth_extended_key: string | null
    deposit_operator_day_above: Generated<Usd>
    withdrawal_operator_day_above: Generated<Usd>
    coin_transactions_since: Generated<Date>
    arrivals_since: Generated<Date>
  }
  charts: {
    user_id: bigint
    document: unknown
  }
  chat_messages: {
    id: GeneratedAlways<bigint>
    chat_id: bigint
    operator_id: bigint | null
    text: string
    at: Generated<Date>
  }
  chats: {
    id: GeneratedAlways<bigint>
    user_id: bigint | null
    token_hash: Buffer | null
    email: string | null
    status: Generated<'Open' | 'Closed'>
    created_at: Generated<Date>
    closed_at: Date | null
    waits_since: Date | null
    mailed_to: Generated<bigint>
  }
  checkpoint_timestamps: {
    frame: bigint
    authority: string
    at: Date
    response: Buffer
  }
  checkpoints: {
    frame: bigint
    epoch: number
    t: bigint
    hash: Buffer
    trade_ids: Buffer
    leaves: Buffer
    root: Buffer
    settled_until: Date
    key: string
    signature: Buffer
    previous: Buffer | null
  }
  claims: {
    queue: string
    item_id: bigint
    operator_id: bigint
    since: Generated<Date>
    acted_at: Generated<Date>
  }
  coin_transactions: {
    coin: 'BTC' | 'ETH'
    transaction_id: string
    payout_id: bigint
    at: Generated<Date>
  }
  complaint_rulings: {
    id: bigint
    complaint_id: bigint
    upheld: boolean
    finding: 'records_agree' | 'within_rules' | 'already_settled' | 'wrong_price' | 'late_price' | 'our_mistake' | 'too_slow'
    remedy: 'none' | 'tick' | 'credit'
    tick: 'entry' | 'exit' | null
    symbol_id: number | null
    tick_seq: bigint | null
    tick_time: bigint | null
    trades: number | null
    total: Usd | null
    credit: Usd | null
    adjustment_id: bigint | null
    paid_at: Date | null
    approved_at: Date | null
    covers_sales: Generated<boolean>
  }
  complaints: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    item: 'trade' | 'deposit' | 'withdrawal'
    item_id: bigint
    reason: 'price' | 'time' | 'result' | 'missing' | 'amount' | 'other'
    text: string
    status: Generated<'Open' | 'Proposed' | 'Rejected' | 'Upheld'>
    filed_at: Generated<Date>
    due_at: Generated<Date>
    closed_at: Date | null
    evidence: unknown | null
    verified: boolean | null
    checked_at: Date | null
    check_after: Generated<Date>
  }
  contact_messages: {
    id: GeneratedAlways<bigint>
    name: string
    email: string
    message: string
    status: Generated<'Open' | 'Closed'>
    created_at: Generated<Date>
    closed_at: Date | null
  }
  contact_replies: {
    id: GeneratedAlways<bigint>
    message_id: bigint
    operator_id: bigint
    text: string
    at: Generated<Date>
  }
  deposit_approvals: {
    deposit_id: bigint
    operator_id: bigint
    amount: Usd
    at: Generated<Date>
  }
  deposit_arrivals: {
    deposit_id: bigint
    user_id: bigint
    coin: 'BTC' | 'ETH'
    transaction_id: string
    coins: string
    arrived_at: Date
    rate: string
    amount: Usd
    operator_id: bigint
    at: Generated<Date>
  }
  deposit_reinstatements: {
    id: bigint
    deposit_id: bigint
    amount: Usd
    reference: string
    at: Generated<Date>
  }
  deposit_requests: {
    id: bigint
    user_id: bigint
    slot: number
    coin: 'BTC' | 'ETH'
    submitted: Usd
    coin_amount: string
    rate: string
    rate_source: 'live' | 'replay' | 'simulation' | null
    address: string
    is_test: boolean
    created_at: Generated<Date>
  }
  deposit_reversals: {
    id: bigint
    deposit_id: bigint
    amount: Usd
    reference: string
    at: Generated<Date>
  }
  deposits: {
    id: bigint
    user_id: bigint
    method: 'crypto' | 'card'
    coin: 'BTC' | 'ETH' | null
    submitted: Usd
    coin_amount: string | null
    rate: string | null
    address: string | null
    receipt: string | null
    receipt_hash: Buffer | null
    provider_reference: string | null
    status: Generated<'Pending' | 'Approved' | 'Rejected'>
    credited: Usd | null
    reversed: Generated<Usd>
    reason: string | null
    created_at: Generated<Date>
    decided_at: Date | null
    checkout: string | null
    checkout_closed_at: Date | null
    picture_hash: Buffer | null
    rate_source: 'live' | 'replay' | 'simulation' | null
    requested_at: Date | null
  }
  email_changes: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    session_id: bigint
    old_email: string
    new_email: string
    requested_at: Generated<Date>
    expires_at: Generated<Date>
    old_confirmed_at: Date | null
    new_confirmed_at: Date | null
    outcome: string | null
    ended_at: Date | null
  }
  exclusion_sweeps: {
    night: string
    finished_at: Generated<Date>
  }
  exclusions: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    kind: 'time_out' | 'exclusion'
    starts_at: Generated<Date>
    ends_at: Date | null
    operator_id: bigint | null
    reason: string | null
    carried_from: bigint | null
    email_key: string
    name_key: string
    date_of_birth: string | null
    return_at: Date | null
    lifted_at: Date | null
    lifted_by: bigint | null
  }
  expired_days: {
    day: string
    trades: bigint
    transfers: bigint
    result: bigint
    last_at: Date
    keys: number
    trade_ids: Buffer
    leaves: Buffer
    expired_at: Generated<Date>
    removed_in: Generated<string>
  }
  expired_grant_sums: {
    account_id: bigint
    grants: bigint
    granted: bigint
    last_seq: bigint
    last_at: Date
  }
  expired_grants: {
    until: string
    grants: bigint
    granted: bigint
    last_at: Date | null
    keys: bigint
    expired_at: Generated<Date>
    removed_in: Generated<string>
  }
  factor_resets: {
    id: bigint
    user_id: bigint
    due_at: Date
    ended_at: Date | null
    outcome: 'Stopped' | 'Done' | null
    mail_id: bigint
  }
  feed_state: {
    part: string
    content: unknown
    at: Generated<Date>
  }
  followed_strategies: {
    account_id: bigint
    place: number
    strategy: StrategyKey
    version: number
    duration_seconds: number
    symbol_ids: number[]
    sides: 'both' | 'Buy' | 'Sell'
    strike_rate: StrikeChoice
    stake: Usd
    stake_percent: number | null
  }
  frame_orders: {
    frame: bigint
    t: bigint
    trade_ids: bigint[]
    leaves: Buffer
    root: Buffer
  }
  frames: {
    n: bigint
    t: bigint
    hash: Buffer
    body: Buffer
  }
  guard_changes: {
    id: GeneratedAlways<bigint>
    account_id: bigint
    guard: string
    from_value: bigint | null
    to_value: bigint | null
    requested_at: Generated<Date>
    due_at: Date
    applied_at: Date | null
    cancelled_at: Date | null
  }
  guards: {
    account_id: bigint
    deposits_day: Usd | null
    deposits_week: Usd | null
    deposits_month: Usd | null
    losses_day: Usd | null
    losses_week: Usd | null
    losses_month: Usd | null
    stakes_day: Usd | null
    stakes_week: Usd | null
    stakes_month: Usd | null
    time_day: number | null
    time_week: number | null
    time_month: number | null
    check_minutes: number | null
    blocked_until: Date | null
    seen_at: Date | null
    session_from: Date | null
    session_seq: Generated<bigint>
    session_seconds: Generated<number>
    unchecked_seconds: Generated<number>
    check_number: Generated<number>
    time_on: Generated<string>
    spent_day: Generated<number>
    spent_week: Generated<number>
    spent_month: Generated<number>
  }
  identity_checks: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    method: 'drivers_license' | 'international_passport' | 'national_id' | 'utility_bill' | 'bank_statement' | 'tax_document' | 'others'
    status: Generated<'Pending' | 'Approved' | 'Rejected'>
    reason: string | null
    file: string | null
    created_at: Generated<Date>
    decided_at: Date | null
    superseded_at: Date | null
    kind: Generated<'identity' | 'address'>
    changed_from: unknown | null
    holds_withdrawals: Generated<boolean>
    erased_hash: Buffer | null
    erased_at: Date | null
  }
  instruments: {
    id: Generated<number>
    symbol: string
    base: string
    quote: string
    trading_type: 'Cryptocurrency' | 'Currencies' | null
    scale: number
    stale_after_ms: Generated<number>
    not_live_reason: string | null
    min_sources: Generated<number>
    largest_spread_bps: Generated<number>
    largest_deviation_bps: Generated<number>
    venues: string[] | null
    closed_reason: string | null
    depth_usd: Generated<number>
    demo_only: Generated<boolean>
  }
  kept_matches: {
    exclusion_id: bigint
    operator_id: bigint
    reason: string
    at: Generated<Date>
  }
  known_devices: {
    token_hash: Buffer
    user_id: bigint | null
    operator_id: bigint | null
    created_at: Generated<Date>
    last_used_at: Generated<Date>
  }
  levers: {
    id: GeneratedAlways<bigint>
    kind: 'real-trading' | 'symbol' | 'withdrawals' | 'maintenance'
    symbol: string | null
    notice: string | null
    reason: string
    pulled_by: bigint
    pulled_at: Date
    released_at: Date | null
  }
  lock_lifts: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    kind: 'trading' | 'deposits' | 'withdrawals' | 'sign_in'
    operator_id: bigint
    at: Generated<Date>
    set_by: bigint | null
    set_at: Date | null
    roles: string[] | null
    proposal_id: bigint | null
  }
  mails: {
    id: GeneratedAlways<bigint>
    recipient: string
    subject: string
    text: string
    html: string
    links: Generated<string[]>
    created_at: Generated<Date>
    state: Generated<'waiting' | 'sent' | 'failed'>
    attempts: Generated<number>
    next_attempt_at: Generated<Date>
    last_error: string | null
    finished_at: Date | null
    budget: Generated<'usual' | 'confirm' | 'reply' | 'none'>
  }
  maintenance_runs: {
    command: string
    finished_at: Date
    succeeded: boolean
    succeeded_at: Date | null
  }
  node_leases: {
    number: number
    holder: string
    until: Date
  }
  notes: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    operator_id: bigint
    text: string
    at: Generated<Date>
  }
  notice_preferences: {
    user_id: bigint
    kind: 'deposit' | 'withdraw' | 'verification' | 'plan' | 'security' | 'account' | 'trade' | 'automatic' | 'alert' | 'trade-ending' | 'trade-settled' | 'order'
    in_app: boolean
    email: boolean
    push: boolean
  }
  notices: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    kind: 'deposit' | 'withdraw' | 'verification' | 'plan' | 'security' | 'account' | 'trade' | 'automatic' | 'alert' | 'trade-ending' | 'trade-settled' | 'order'
    title: string
    text: string
    path: Generated<string>
    at: Generated<Date>
    read_at: Date | null
  }
  one_time_tokens: {
    hash: Buffer
    purpose: string
    user_id: bigint
    created_at: Generated<Date>
    expires_at: Date
    used_at: Date | null
  }
  open_stake_limits: {
    open_stake_max: Usd
    until: Generated<Date>
  }
  operator_actions: {
    id: GeneratedAlways<bigint>
    operator_id: bigint | null
    operator: string
    action: string
    item_kind: string
    item_id: string
    user_id: bigint | null
    before: unknown | null
    after: unknown | null
    why: Generated<string>
  }
  operator_invitations: {
    id: GeneratedAlways<bigint>
    token_hash: Buffer
    email: string
    roles: OperatorRole[]
    invited_by: bigint | null
    created_at: Generated<Date>
    expires_at: Date
    password_hash: string | null
    totp_secret: Buffer | null
    used_at: Date | null
    change_id: bigint | null
  }
  operator_request_keys: {
    operator_id: bigint
    key: string
    fingerprint: Buffer
    answer: unknown | null
    at: Generated<Date>
  }
  operator_sessions: {
    id: GeneratedAlways<bigint>
    operator_id: bigint
    token_hash: Buffer
    created_at: Generated<Date>
    last_seen_at: Generated<Date>
    expires_at: Date
    device: string
    address: string
    ended_at: Date | null
  }
  operators: {
    id: GeneratedAlways<bigint>
    email: string
    password_hash: string
    totp_secret: Buffer
    totp_step: Generated<bigint>
    roles: OperatorRole[]
    created_at: Generated<Date>
    ended_at: Date | null
  }
  own_strategies: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    name: string
    kind: string
    version: Generated<number>
    created_at: Generated<Date>
    archived_at: Date | null
  }
  own_strategy_versions: {
    strategy_id: bigint
    version: number
    rule: unknown | null
    duration_seconds: number
    symbol_ids: number[]
    zone: string
    created_at: Generated<Date>
  }
  passkey_challenges: {
    challenge: string
    user_id: bigint
    purpose: string
    expires_at: Generated<Date>
  }
  passkeys: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    credential_id: string
    public_key: Buffer
    counter: bigint
    transports: string[]
    name: string
    created_at: Generated<Date>
    last_used_at: Date | null
  }
  payout_addresses: {
    id: bigint
    user_id: bigint
    name: string
    method: 'crypto' | 'bank'
    coin: 'BTC' | 'ETH' | null
    wallet: string | null
    bank_name: string | null
    bank_ending: string | null
    bank_sealed: Buffer | null
    bank_fingerprint: Buffer | null
    beneficiary: string | null
    hosted_by: string | null
    created_at: Generated<Date>
    usable_at: Generated<Date>
    removed_at: Date | null
  }
  payout_batch_items: {
    batch_id: bigint
    withdrawal_id: bigint
    removed_at: Date | null
  }
  payout_batches: {
    id: bigint
    coin: 'BTC' | 'ETH'
    created_by: bigint
    created_at: Generated<Date>
  }
  payout_guards: {
    user_id: bigint
    on_since: Generated<Date>
    off_at: Date | null
  }
  payout_halts: {
    id: GeneratedAlways<bigint>
    started_at: Generated<Date>
    findings: unknown
    found_at: Generated<Date>
    clean_at: Date | null
    ended_at: Date | null
  }
  plan_charges: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    from_plan: '' | 'Beginner-3000' | 'Gold-7600' | 'Platinum-21199' | 'Diamond-50730'
    plan: 'Beginner-3000' | 'Gold-7600' | 'Platinum-21199' | 'Diamond-50730'
    amount: Usd
    request_id: bigint | null
    at: Generated<Date>
  }
  plan_requests: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    from_plan: 'Beginner-3000' | 'Gold-7600' | 'Platinum-21199' | 'Diamond-50730'
    plan: 'Beginner-3000' | 'Gold-7600' | 'Platinum-21199' | 'Diamond-50730'
    status: Generated<'Pending' | 'Approved' | 'Rejected' | 'Cancelled'>
    reason: string | null
    requested_at: Generated<Date>
    decided_at: Date | null
  }
  price_history: {
    symbol_id: number
    since: bigint
    source: 'live' | 'replay' | 'simulation'
    venue: string | null
    seed: Buffer | null
    price: bigint | null
    packed: Buffer
  }
  price_list_versions: {
    version: number
    document: unknown
    from_ms: bigint
    made_at: Date
    proposal_id: bigint | null
    edge: Generated<boolean>
    acknowledged: string | null
  }
  proof_keys: {
    id: string
    public_key: Buffer
    created_at: Generated<Date>
    revoked_at: Date | null
    revoked_reason: string | null
    signed_by: string | null
    signature: Buffer | null
    unsigned_reason: string | null
  }
  proposals: {
    kind: string
    id: GeneratedAlways<bigint>
    subject: string | null
    payload: Generated<unknown>
    reason: string
    status: Generated<'Pending' | 'Approved' | 'Rejected' | 'Withdrawn'>
    proposed_by: bigint
    proposed_at: Generated<Date>
    decided_by: bigint | null
    decided_at: Date | null
    decision_reason: string | null
  }
  published_strategies: {
    strategy_id: bigint
    name: string
    first_version: number
    last_version: number | null
    published_at: Generated<Date>
    withdrawn_at: Date | null
  }
  push_messages: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    subscription_id: bigint
    kind: 'deposit' | 'withdraw' | 'verification' | 'plan' | 'security' | 'account' | 'trade' | 'automatic' | 'alert' | 'trade-ending' | 'trade-settled' | 'order'
    title: string
    text: string
    path: string
    tag: Generated<string>
    attempts: Generated<number>
    next_attempt_at: Generated<Date>
    created_at: Generated<Date>
  }
  push_subscriptions: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    session_id: bigint
    endpoint: string
    public_key: Buffer
    auth_secret: Buffer
    created_at: Generated<Date>
  }
  receipt_links: {
    user_id: bigint
    trade_id: bigint
    token: string
    created_at: Generated<Date>
  }
  received_signals: {
    id: GeneratedAlways<bigint>
    strategy_id: bigint
    at: Generated<Date>
    body_hash: Buffer
    nonce: string | null
    symbol_id: number | null
    side: 'Buy' | 'Sell' | null
    signal: bigint | null
    void: string | null
    reason: string | null
  }
  reconciliation: {
    only_row: Generated<boolean>
    finished_at: Date
    took_ms: number
    differences: number
  }
  recorded_strategies: {
    strategy_id: bigint
    user_id: bigint
    slot: number
    since: Generated<Date>
  }
  recovery_codes: {
    user_id: bigint
    hash: Buffer
    used_at: Date | null
  }
  request_keys: {
    user_id: bigint
    key: string
    fingerprint: Buffer
    effect: 'deposit' | 'withdrawal' | 'cancel' | 'plan' | 'demo_reset' | 'sale' | 'waiting_order' | 'archived_trade'
    effect_id: bigint
    at: Generated<Date>
    answer: unknown | null
  }
  reset_requests: {
    id: GeneratedAlways<bigint>
    email: string
    asked_at: Generated<Date>
    kind: Generated<string>
  }
  retention_rules: {
    kind: string
    days: number
    ran_at: Generated<Date>
  }
  reversal_proposals: {
    id: bigint
    deposit_id: bigint
    amount: Usd
    reference: string
  }
  risk_count: {
    only_row: Generated<boolean>
    round: Generated<bigint>
    counted_at: Generated<Date>
    figures: unknown | null
  }
  risk_lanes: {
    lane: number
    seen_at: Generated<Date>
  }
  risk_limits: {
    name: string
    loss_max: Usd
  }
  risk_rooms: {
    lane: number
    room: number
    granted: Generated<Usd>
    used: Generated<Usd>
    wanted: Generated<Usd>
    room_left: Usd | null
  }
  sale_orders: {
    account_id: bigint
    trade_id: bigint
    at: bigint
    minimum: Usd
    decided_at: Date | null
    outcome: string | null
    says: string | null
    tick_seq: bigint | null
    tick_time: bigint | null
    tick_price: bigint | null
    variance: bigint | null
    variance_frame: bigint | null
    fee: Usd | null
    payout: Usd | null
  }
  schema_needs: {
    migration: string
    needs: string
  }
  screen_choices: {
    user_id: bigint
    mode: string | null
    symbol: string | null
    duration_seconds: number | null
    strike_rate: string | null
    stake: bigint | null
    favourites: string[] | null
    recents: string[] | null
    coached: boolean | null
    time_zone: string | null
    presets: unknown | null
  }
  session_tokens: {
    renewal_hash: Buffer
    session_id: bigint
    access_hash: Buffer
    access_expires_at: Date
    renewed_at: Date | null
    child_hash: Buffer | null
    sealed_child: Buffer | null
  }
  sessions: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    created_at: Generated<Date>
    last_seen_at: Generated<Date>
    expires_at: Date
    remembered: boolean
    device: string
    address: string
    ended_at: Date | null
    end_reason: string | null
  }
  sign_in_links: {
    token_hash: Buffer
    user_id: bigint | null
    operator_id: bigint | null
    expires_at: Date
    used_at: Date | null
  }
  signal_addresses: {
    strategy_id: bigint
    secret_hash: Buffer
    signing_key: Buffer
    made_at: Generated<Date>
  }
  signal_closes: {
    candle_close: bigint
    strategy: StrategyKey
    version: number
    duration_seconds: number
    source_kind: number
    buy_won: number
    buy_lost: number
    sell_won: number
    sell_lost: number
  }
  signal_head: {
    only_row: Generated<boolean>
    n: bigint
    hash: Buffer
    closes_from: Generated<bigint>
  }
  signal_hours: {
    strategy: StrategyKey
    version: number
    duration_seconds: number
    side: 'Buy' | 'Sell'
    source_kind: number
    hour: bigint
    won: Generated<number>
    lost: Generated<number>
    draws: Generated<number>
    voids: Generated<number>
  }
  signal_spreads: {
    duration_seconds: number
    source_kind: number
    sides: string
    strategy: StrategyKey
    version: number
    hour: bigint
    won: bigint
    lost: bigint
    closes: bigint
    ww: bigint
    wl: bigint
    ll: bigint
  }
  signals: {
    n: bigint
    strategy: StrategyKey
    version: number
    symbol_id: number
    side: 'Buy' | 'Sell'
    duration_seconds: number
    candle_close: bigint
    source_kind: number
    stale_after_ms: number
    at: bigint
    frame: bigint
    end_time: GeneratedAlways<bigint>
    previous: Buffer
    hash: Buffer
    status: Generated<'Pending' | 'Won' | 'Lost' | 'Draw' | 'Void' | 'Sold'>
    entry_price: bigint | null
    entry_time: bigint | null
    entry_seq: bigint | null
    exit_price: bigint | null
    exit_time: bigint | null
    exit_seq: bigint | null
    outcome_reason: string | null
    seal: Buffer | null
  }
  solvency_entries: {
    number: number
    user_id: bigint
    part: number
    position: number
    available: Usd
    staked: Usd
    held: Usd
  }
  solvency_requests: {
    only_row: Generated<boolean>
    requested_at: Date
  }
  solvency_statements: {
    number: number
    t: bigint
    traders: number
    total: Usd
    root: Buffer
    previous: Buffer
    key: string
    signature: Buffer
    entries: number | null
    equity: bigint | null
  }
  solvency_trees: {
    number: number
    secret: Buffer
    nodes: Buffer
  }
  step_ups: {
    id: GeneratedAlways<bigint>
    session_id: bigint
    user_id: bigint
    fingerprint: Buffer
    asked_at: Generated<Date>
    token_hash: Buffer | null
    expires_at: Date | null
  }
  strategy_switches: {
    strategy: StrategyKey
    off_at: Generated<Date>
    why: string
  }
  symbol_open: {
    symbol_id: number
    open_max: Usd | null
    open: Generated<Usd>
    thin_max: Usd | null
  }
  tape_bodies: {
    minute: bigint
    packed: Buffer
  }
  tape_epochs: {
    epoch: number
    after_frame: bigint
    after_hash: Buffer
    timeline: number
    began_at: Generated<Date>
  }
  tape_expiry: {
    only_row: Generated<boolean>
    until: Generated<bigint>
  }
  tape_head: {
    id: Generated<boolean>
    number: bigint
    t: bigint
    hash: Buffer
    epoch: Generated<number>
  }
  tape_kinds: {
    symbol_id: number
    source_ms: bigint
    kind: number
  }
  tape_minutes: {
    minute: bigint
    first_n: bigint
    last_n: bigint
    chain: Buffer
    last_hash: Buffer
  }
  terms_changes: {
    id: bigint
    symbol: string
    before: unknown
    effective_from: bigint
  }
  ticks: {
    symbol_id: number
    source_ms: bigint
    seq: bigint
    price: bigint
    kind: number
    frame: bigint
  }
  totp_factors: {
    user_id: bigint
    secret: Buffer | null
    confirmed_at: Date | null
    new_secret: Buffer | null
    last_step: Generated<bigint>
  }
  trade_figures: {
    mode: 'real' | 'demo'
    source_kind: number
    won: Generated<bigint>
    lost: Generated<bigint>
    draws: Generated<bigint>
    voids: Generated<bigint>
    first_end: bigint
    last_end: bigint
  }
  trade_figures_head: {
    only_row: Generated<boolean>
    counted_to: Generated<bigint>
  }
  trade_figures_open: {
    trade_id: bigint
  }
  trade_notes: {
    account_id: bigint
    trade_id: bigint
    note: string
    tags: string[]
  }
  trade_remedies: {
    trade_id: bigint
    ruling_id: bigint
    account_id: bigint
    amount: Usd
    at: Generated<Date>
  }
  trade_tags: {
    account_id: bigint
    tags: string[]
  }
  trade_voids: {
    trade_id: bigint
    reason: string
    completed_at: Generated<Date>
    entered: boolean
  }
  trades: {
    id: bigint
    account_id: bigint
    mode: 'real' | 'demo'
    symbol_id: number
    source_kind: number
    stale_after_ms: number
    side: 'Buy' | 'Sell'
    strike_rate: StrikeRate
    percent: number
    stake: Usd
    duration_seconds: number
    trade_time: bigint
    end_time: bigint
    rule_version: Generated<string>
    key: string | null
    fingerprint: Buffer | null
    status: Generated<'Pending' | 'Won' | 'Lost' | 'Draw' | 'Void' | 'Sold'>
    entry_price: bigint | null
    entry_time: bigint | null
    entry_seq: bigint | null
    exit_price: bigint | null
    exit_time: bigint | null
    exit_seq: bigint | null
    settled_at: Date | null
    payout: Usd | null
    outcome_reason: string | null
    signal: bigint | null
    salt: Buffer | null
    sale_rule: string | null
    sale_ordered_at: bigint | null
    price_list: number | null
  }
  trading_limits: {
    only_row: Generated<boolean>
    stake_max: Generated<Usd>
    open_stake_max: Generated<Usd>
    worst_loss_percent: Generated<number>
  }
  transfers: {
    cause: 'trade_open' | 'trade_settle' | 'deposit_credit' | 'withdraw_hold' | 'withdraw_paid' | 'withdraw_release' | 'plan_charge' | 'adjust' | 'deposit_reversal' | 'demo_grant' | 'deposit_reinstatement' | 'debt_repayment' | 'trade_remedy' | 'trade_sale'
    cause_id: bigint
    part: number
    account_id: bigint
    mode: 'real' | 'demo'
    debit: 'balance' | 'escrow' | 'hold' | 'owed' | 'house' | 'external_in' | 'external_out' | 'mint'
    credit: 'balance' | 'escrow' | 'hold' | 'owed' | 'house' | 'external_in' | 'external_out' | 'mint'
    amount: Usd
    account_seq: bigint
    balance_after: Usd
    at: Date
  }
  unbound_orders: {
    id: bigint
    trade_ids: bigint[]
  }
  uncredited_payments: {
    payment: string
    deposit_id: bigint | null
    amount: Usd
    at: Generated<Date>
    closed_by: bigint | null
    closed_at: Date | null
    closed_reason: string | null
  }
  unknown_deposits: {
    id: GeneratedAlways<bigint>
    coin: 'BTC' | 'ETH' | null
    reference: string
    amount: Usd
    coins: string | null
    rate: string | null
    address: string | null
    arrived_at: Generated<Date>
    recorded_by: bigint | null
    created_at: Generated<Date>
    deposit_id: bigint | null
    assigned_by: bigint | null
    returned_at: Date | null
  }
  unstated_trades: {
    trade_id: bigint
    account_id: bigint
  }
  user_locks: {
    user_id: bigint
    kind: 'trading' | 'deposits' | 'withdrawals' | 'sign_in'
    operator_id: bigint
    reason: string
    at: Generated<Date>
    roles: Generated<string[]>
  }
  users: {
    id: GeneratedAlways<bigint>
    email: string
    email_confirmed_at: Date | null
    password_hash: string
    firstname: string
    lastname: string
    phone: Generated<string>
    gender: Generated<string>
    date_of_birth: string | null
    country: Generated<string>
    state: Generated<string>
    city: Generated<string>
    address: Generated<string>
    avatar: string | null
    referral_code: string
    referred_by: bigint | null
    trading_plan: Generated<'' | 'Beginner-3000' | 'Gold-7600' | 'Platinum-21199' | 'Diamond-50730'>
    plan_request: 'Beginner-3000' | 'Gold-7600' | 'Platinum-21199' | 'Diamond-50730' | null
    plan_request_status: 'Pending' | 'Approved' | 'Rejected' | 'Cancelled' | null
    plan_requested_at: Date | null
    sign_in_locked_at: Date | null
    sign_in_lock_reason: string | null
    created_at: Generated<Date>
    ended_at: Date | null
    guest_until: Date | null
  }
  venue_switches: {
    id: Generated<bigint>
    venue: string
    is_out: boolean
    reason: string | null
    switched_by: bigint | null
    switched_at: Generated<Date>
    effective_from: bigint | null
  }
  waiting_head: {
    judged_ms: bigint
  }
  waiting_orders: {
    id: GeneratedAlways<bigint>
    account_id: bigint
    slot: number | null
    symbol_id: number
    side: 'Buy' | 'Sell'
    strike_rate: StrikeRate
    stake: Usd
    duration_seconds: number
    condition: 'at_or_above' | 'at_or_below' | 'at_time'
    level: bigint | null
    at_ms: bigint | null
    valid_until_ms: bigint | null
    base_price: bigint
    base_seq: bigint
    base_ms: bigint
    arming: Generated<number>
    created_at: Generated<Date>
    changed: Generated<string>
    status: Generated<'Waiting' | 'Triggered' | 'Traded' | 'Refused' | 'Expired'>
    trigger_price: bigint | null
    trigger_seq: bigint | null
    trigger_ms: bigint | null
    trade_id: bigint | null
    reason: string | null
    ended_at: Date | null
    notice_id: bigint | null
  }
  waiting_proof_keys: {
    id: string
    public_key: Buffer
    seen_at: Generated<Date>
  }
  withdrawal_approvals: {
    withdrawal_id: bigint
    operator_id: bigint
    at: Generated<Date>
  }
  withdrawal_pauses: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    cause: string
    started_at: Generated<Date>
    until: Date | null
    reset_at: Date | null
    ended_at: Date | null
  }
  withdrawals: {
    id: bigint
    user_id: bigint
    method: 'crypto' | 'bank'
    coin: 'BTC' | 'ETH' | null
    wallet: string | null
    bank_name: string | null
    bank_type: 'Checking' | 'Savings' | null
    bank_ending: string | null
    bank_sealed: Buffer | null
    bank_fingerprint: Buffer | null
    amount: Usd
    status: Generated<'Pending' | 'Processing' | 'Paid' | 'Rejected' | 'Cancelled'>
    reason: string | null
    reference: string | null
    created_at: Generated<Date>
    processing_at: Date | null
    ended_at: Date | null
    coin_amount: string | null
    rate: string | null
    rate_at: Date | null
    rate_source: 'live' | 'replay' | 'simulation' | null
    payout_id: bigint | null
    address_id: bigint | null
  }
}
