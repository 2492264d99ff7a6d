/** Addresses without a known private key: coins sent there are lost. Lower case. */
const BURNED: ReadonlySet<string> = new Set([
  '0x0000000000000000000000000000000000000000',
  '0x0000000000000000000000000000000000000001',
  '0x000000000000000000000000000000000000dead',
  '0xdead000000000000000042069420694206942069',
  '0x00000000000000000000045261d4ee77acdb3286',
  '0xdeaddeaddeaddeaddeaddeaddeaddeaddeaddead',
  '0xffffffffffffffffffffffffffffffffffffffff',
  '1111111111111111111114olvt2',
  '1bitcoineateraddressdontsendf59kue',
  '1counterpartyxxxxxxxxxxxxxxxuwlpvr',
])

/** Whether coins sent to an address would be lost. */
export const isBurnAddress = (wallet: string): boolean => BURNED.has(wallet.toLowerCase())
