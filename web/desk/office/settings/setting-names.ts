/** Settings of an amount, and their labels. */
export const AMOUNTS = [
  ['stake_max', 'Largest stake of one trade'],
  ['open_stake_max', 'Largest open stake of one trader'],
  ['deposit_two_person_amount', 'Deposits above this take two people'],
  ['withdraw_two_person_amount', 'Withdrawals above this take two people'],
  ['deposit_operator_day_amount', 'Deposits that one person may approve alone in 24 hours'],
  ['withdraw_operator_day_amount', 'Withdrawals that one person may approve alone in 24 hours'],
] as const
/** Settings of an address: label and hint. */
export const ADDRESSES = [
  [
    'btc_address',
    'Bitcoin address for deposits',
    'An address, or an extended public key (zpub, xpub) that gives each trader their own address.',
  ],
  ['eth_address', 'Ethereum address for deposits', 'An address, or an extended public key (xpub).'],
] as const
