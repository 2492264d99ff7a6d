import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#web/api/index.ts'
import { Select } from '#web/ui/index.ts'

/** Fills in a wallet of the trader's address book; renders nothing while there is none. */
export function SavedWallets({ wallet, onChoose }: { wallet: string; onChoose: (wallet: string) => void }) {
  const book = useQuery(queryOf('GET /withdraw/addresses')).data?.data
  const wallets = book?.addresses.filter(({ currency }) => currency !== null) ?? []
  if (wallets.length === 0) return null
  const chosen = wallets.find((one) => one.wallet === wallet.trim())
  return (
    <Select
      label="From my address book"
      value={chosen?.id ?? ''}
      onChange={({ target }) => onChoose(wallets.find(({ id }) => id === target.value)?.wallet ?? '')}
    >
      <option value="">Another address</option>
      {wallets.map(({ id, name, currency }) => (
        <option key={id} value={id}>
          {name} ({currency})
        </option>
      ))}
    </Select>
  )
}
