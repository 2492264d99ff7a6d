import { Bitcoin, CreditCard } from 'lucide-react'
import { useState } from 'react'
import type { DepositRequest } from '#contract/money/cashier.ts'
import { Alert, DEPOSIT_MIN_USD, formatUsd, MethodCard, Methods, Modal } from '#web/ui/index.ts'
import { CardOrBitcoin } from './card-or-bitcoin.tsx'
import { CoinForm } from './coin-form.tsx'
import { EtherSign } from './ether-sign.tsx'
import { OpenRequests } from './open-requests.tsx'
import { useMethods } from './use-methods.ts'
import { useOpenRequests } from './use-open-requests.ts'

const TERMS = `From ${formatUsd(DEPOSIT_MIN_USD)}`

/** The method by which a coin's request is continued. */
const METHOD_OF = { BTC: 'card-or-bitcoin', ETH: 'ethereum' } as const

/** The requests that await their payment, and the two deposit methods. */
export function Deposit() {
  const [method, setMethod] = useState<'card-or-bitcoin' | 'ethereum'>()
  const { requests, shown, show } = useOpenRequests()
  const opened = shown ? METHOD_OF[shown.currency] : method
  const methods = useMethods()
  // Offered only where the operator has set up a card provider.
  const hasCard = methods?.card === true
  function close() {
    setMethod(undefined)
    show(undefined)
  }
  const steps = {
    request: shown,
    onShow: (request: DepositRequest | undefined) => {
      setMethod(opened)
      show(request)
    },
    onDone: close,
  }
  return (
    <>
      <OpenRequests requests={requests} onContinue={show} />
      <MethodCards methods={methods} onChoose={setMethod} />
      <Modal
        open={opened === 'card-or-bitcoin'}
        onClose={close}
        title={hasCard ? 'Deposit by card or Bitcoin' : 'Deposit Bitcoin'}
        wide={shown !== undefined}
        sheet
      >
        <CardOrBitcoin {...steps} />
      </Modal>
      <Modal open={opened === 'ethereum'} onClose={close} title="Deposit Ethereum" wide={shown !== undefined} sheet>
        {methods?.ETH === false && !shown ? (
          <Alert kind="warning">Ethereum deposits aren't available. Choose another deposit method.</Alert>
        ) : (
          <CoinForm coin="ETH" {...steps} />
        )}
      </Modal>
    </>
  )
}

interface MethodCardsProps {
  methods: ReturnType<typeof useMethods>
  onChoose: (method: 'card-or-bitcoin' | 'ethereum') => void
}

function MethodCards({ methods, onChoose }: MethodCardsProps) {
  const hasCard = methods?.card === true
  return (
    <Methods>
      <MethodCard
        signs={hasCard ? [<Bitcoin key="coin" />, <CreditCard key="card" />] : [<Bitcoin key="coin" />]}
        title={hasCard ? 'Card or Bitcoin wallet' : 'Bitcoin wallet'}
        terms={methods && !methods.card && !methods.BTC ? 'Not available' : TERMS}
        onChoose={() => onChoose('card-or-bitcoin')}
      >
        {hasCard
          ? 'Pay by card on the provider’s page, or send BTC from any wallet.'
          : 'Send BTC from any wallet, then upload your receipt.'}
      </MethodCard>
      <MethodCard
        signs={[<EtherSign key="coin" />]}
        title="Ethereum wallet"
        terms={methods?.ETH === false ? 'Not available' : TERMS}
        onChoose={() => onChoose('ethereum')}
      >
        Send ETH from any wallet, then upload your receipt.
      </MethodCard>
    </Methods>
  )
}
