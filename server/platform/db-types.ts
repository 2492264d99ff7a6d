/** Made by `npm run db:dump` from the migrated schema; do not edit. */
import type { Generated, GeneratedAlways } from 'kysely'

export interface DB {
  accounts: {
    id: bigint
    user_id: bigint
    book: 'real' | 'demo'
    balance: Generated<bigint>
    escrow: Generated<bigint>
    hold: Generated<bigint>
    owed: Generated<bigint>
    seq: Generated<bigint>
    last_at: Generated<Date>
    trading_locked: Generated<boolean>
  }
  adjustments: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    book: 'real' | 'demo'
    amount: bigint
    reason: string
    status: Generated<string>
    proposed_by: bigint
    proposed_at: Generated<Date>
    decided_by: bigint | null
    decided_at: Date | null
    decision_reason: string | null
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
  candles: {
    symbol_id: number
    minute: bigint
    open: bigint
    high: bigint
    low: bigint
    close: bigint
  }
  card_events: {
    id: string
    kind: string
    deposit_id: bigint | null
    at: Generated<Date>
    payment: string | null
    reference: string | null
    amount: bigint | null
    effect: string | null
  }
  cashier_settings: {
    only_row: Generated<boolean>
    deposit_two_person_above: Generated<bigint>
    withdrawal_two_person_above: Generated<bigint>
    withdrawals_need_identity: Generated<boolean>
    btc_address: string | null
    btc_extended_key: string | null
    eth_address: string | null
    eth_extended_key: string | null
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
    status: Generated<string>
    created_at: Generated<Date>
    closed_at: Date | null
    waits_since: Date | null
    mailed_to: Generated<bigint>
  }
  claims: {
    queue: string
    item_id: bigint
    operator_id: bigint
    since: Generated<Date>
    acted_at: Generated<Date>
  }
  contact_messages: {
    id: GeneratedAlways<bigint>
    name: string
    email: string
    message: string
    status: Generated<string>
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
    amount: bigint
    at: Generated<Date>
  }
  deposit_reinstatements: {
    id: bigint
    deposit_id: bigint
    amount: bigint
    reference: string
    at: Generated<Date>
  }
  deposit_reversals: {
    id: bigint
    deposit_id: bigint
    amount: bigint
    reference: string
    at: Generated<Date>
  }
  deposits: {
    id: bigint
    user_id: bigint
    method: string
    coin: 'BTC' | 'ETH' | null
    announced: bigint
    coin_amount: string | null
    rate: string | null
    address: string | null
    receipt: string | null
    receipt_hash: Buffer | null
    provider_reference: string | null
    status: Generated<'Pending' | 'Approved' | 'Rejected'>
    credited: bigint | null
    reversed: Generated<bigint>
    reason: string | null
    created_at: Generated<Date>
    decided_at: Date | null
    checkout: string | null
    checkout_closed_at: Date | null
    picture_hash: Buffer | null
    rate_source: string | null
  }
  factor_resets: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    reason: string
    status: Generated<string>
    proposed_by: bigint
    proposed_at: Generated<Date>
    decided_by: bigint | null
    decided_at: Date | null
    decision_reason: string | null
    due_at: Date | null
    ended_at: Date | null
  }
  frames: {
    n: bigint
    t: bigint
    hash: Buffer
    body: Buffer
  }
  identity_checks: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    method: string
    status: Generated<string>
    reason: string | null
    file: string | null
    created_at: Generated<Date>
    decided_at: Date | null
    superseded_at: Date | null
    kind: Generated<string>
    changed_from: unknown | null
    holds_withdrawals: Generated<boolean>
  }
  instruments: {
    id: number
    symbol: string
    base: string
    quote: string
    trading_type: string | null
    scale: number
    stale_after_ms: Generated<number>
    not_live_reason: string | null
  }
  known_devices: {
    token_hash: Buffer
    user_id: bigint | null
    operator_id: bigint | null
    created_at: Generated<Date>
    last_used_at: Generated<Date>
  }
  mails: {
    id: GeneratedAlways<bigint>
    recipient: string
    subject: string
    text: string
    html: string
    links: Generated<string[]>
    created_at: Generated<Date>
    state: Generated<string>
    attempts: Generated<number>
    next_attempt_at: Generated<Date>
    last_error: string | null
    finished_at: Date | null
  }
  notes: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    operator_id: bigint
    text: string
    at: Generated<Date>
  }
  notices: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    kind: string
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
    open_stake_max: bigint
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
  operator_changes: {
    id: GeneratedAlways<bigint>
    kind: string
    email: string
    operator_id: bigint | null
    roles: string[]
    reason: Generated<string>
    status: Generated<string>
    proposed_by: bigint
    proposed_at: Generated<Date>
    decided_by: bigint | null
    decided_at: Date | null
    decision_reason: string | null
  }
  operator_invitations: {
    id: GeneratedAlways<bigint>
    token_hash: Buffer
    email: string
    roles: string[]
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
    roles: string[]
    created_at: Generated<Date>
    ended_at: Date | null
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
  plan_charges: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    from_plan: string
    plan: string
    amount: bigint
    request_id: bigint | null
    at: Generated<Date>
  }
  plan_requests: {
    id: GeneratedAlways<bigint>
    user_id: bigint
    from_plan: string
    plan: string
    status: Generated<string>
    reason: string | null
    requested_at: Generated<Date>
    decided_at: Date | null
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
    effect: string
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
  reversal_proposals: {
    id: GeneratedAlways<bigint>
    deposit_id: bigint
    amount: bigint
    reference: string
    reason: string
    status: Generated<string>
    proposed_by: bigint
    proposed_at: Generated<Date>
    decided_by: bigint | null
    decided_at: Date | null
    decision_reason: string | null
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
  settings_changes: {
    id: GeneratedAlways<bigint>
    changes: unknown
    before: unknown
    reason: string
    status: Generated<string>
    proposed_by: bigint
    proposed_at: Generated<Date>
    decided_by: bigint | null
    decided_at: Date | null
    decision_reason: string | null
  }
  sign_in_links: {
    token_hash: Buffer
    user_id: bigint | null
    operator_id: bigint | null
    expires_at: Date
    used_at: Date | null
  }
  simulated_history: {
    symbol_id: number
    until: bigint
    price: bigint | null
    seed: Buffer
    packed: Buffer
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
  symbol_open: {
    symbol_id: number
    open_max: bigint
    open: Generated<bigint>
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
    book: 'real' | 'demo'
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
  trade_voids: {
    trade_id: bigint
    reason: string
    proposed_by: bigint
    proposed_at: Generated<Date>
    completed_by: bigint | null
    completed_at: Date | null
    entered: boolean | null
  }
  trades: {
    id: bigint
    account_id: bigint
    book: 'real' | 'demo'
    symbol_id: number
    source_kind: number
    stale_after_ms: number
    trade_mode: 'Buy' | 'Sell'
    strike_rate: string
    percent: number
    stake: bigint
    duration_seconds: number
    trade_time: bigint
    end_time: bigint
    rule_version: Generated<string>
    key: string | null
    fingerprint: Buffer | null
    status: Generated<'Pending' | 'Won' | 'Lost' | 'Draw' | 'Void'>
    entry_price: bigint | null
    entry_time: bigint | null
    entry_seq: bigint | null
    exit_price: bigint | null
    exit_time: bigint | null
    exit_seq: bigint | null
    settled_at: Date | null
    payout: bigint | null
    outcome_reason: string | null
  }
  trading_limits: {
    only_row: Generated<boolean>
    stake_max: Generated<bigint>
    open_stake_max: Generated<bigint>
  }
  transfers: {
    cause: 'trade_open' | 'trade_settle' | 'deposit_credit' | 'withdraw_hold' | 'withdraw_paid' | 'withdraw_release' | 'plan_charge' | 'adjust' | 'deposit_reversal' | 'demo_grant' | 'deposit_reinstatement' | 'debt_repayment'
    cause_id: bigint
    part: number
    account_id: bigint
    book: 'real' | 'demo'
    debit: 'balance' | 'escrow' | 'hold' | 'owed' | 'house' | 'external_in' | 'external_out' | 'mint'
    credit: 'balance' | 'escrow' | 'hold' | 'owed' | 'house' | 'external_in' | 'external_out' | 'mint'
    amount: bigint
    account_seq: bigint
    balance_after: bigint
    at: Date
  }
  user_locks: {
    user_id: bigint
    kind: string
    operator_id: bigint
    reason: string
    at: Generated<Date>
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
    trading_plan: Generated<string>
    plan_request: string | null
    plan_request_status: string | null
    plan_requested_at: Date | null
    sign_in_locked_at: Date | null
    sign_in_lock_reason: string | null
    created_at: Generated<Date>
    ended_at: Date | null
  }
  withdrawal_approvals: {
    withdrawal_id: bigint
    operator_id: bigint
    at: Generated<Date>
  }
  withdrawals: {
    id: bigint
    user_id: bigint
    method: string
    coin: 'BTC' | 'ETH' | null
    wallet: string | null
    bank_name: string | null
    bank_type: string | null
    bank_ending: string | null
    bank_sealed: Buffer | null
    bank_fingerprint: Buffer | null
    amount: bigint
    status: Generated<'Pending' | 'Processing' | 'Paid' | 'Rejected' | 'Cancelled'>
    reason: string | null
    reference: string | null
    created_at: Generated<Date>
    processing_at: Date | null
    ended_at: Date | null
  }
}
