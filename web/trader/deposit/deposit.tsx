import { Bitcoin, CreditCard } from 'lucide-react'
import { useState } from 'react'
import { Alert, DEPOSIT_MIN_USD, formatUsd, MethodCard, Methods, Modal } from '#web/ui/index.ts'
import { CardOrBitcoin } from './card-or-bitcoin.tsx'
import { CoinForm } from './coin-form.tsx'
import { EtherSign } from './ether-sign.tsx'
import { useMethods } from './use-methods.ts'

const TERMS = `From ${formatUsd(DEPOSIT_MIN_USD)}`

/** The two deposit methods. */
export function Deposit() {
  const [method, setMethod] = useState<'card-or-bitcoin' | 'ethereum'>()
  const close = () => setMethod(undefined)
  const methods = useMethods()
  return (
    <>
      <Methods>
        <MethodCard
          signs={[<Bitcoin key="coin" />, <CreditCard key="card" />]}
          title="Card or Bitcoin wallet"
          terms={methods && !methods.card && !methods.BTC ? 'Not available' : TERMS}
          onChoose={() => setMethod('card-or-bitcoin')}
        >
          {methods?.card === false
            ? "Send BTC from any wallet. Card deposits aren't available."
            : 'Pay by card on the provider’s page, or send BTC from any wallet.'}
        </MethodCard>
        <MethodCard
          signs={[<EtherSign key="coin" />]}
          title="Ethereum wallet"
          terms={methods?.ETH === false ? 'Not available' : TERMS}
          onChoose={() => setMethod('ethereum')}
        >
          Send ETH from any wallet, then upload your receipt.
        </MethodCard>
      </Methods>
      <Modal open={method === 'card-or-bitcoin'} onClose={close} title="Deposit by card or Bitcoin" sheet>
        <CardOrBitcoin onDone={close} />
      </Modal>
      <Modal open={method === 'ethereum'} onClose={close} title="Deposit Ethereum" sheet>
        {methods?.ETH === false ? (
          <Alert kind="warning">Ethereum deposits aren't available. Choose another deposit method.</Alert>
        ) : (
          <CoinForm coin="ETH" onDone={close} />
        )}
      </Modal>
    </>
  )
}
