import { useQuery } from '@tanstack/react-query'
import type { Signal } from '#contract/trading/signals.ts'
import { Alert, CopyText, Fact, Facts, Modal, useLast } from '#web/ui/index.ts'
import { sealedHash, signalText } from './sealed.ts'
import styles from './signals.module.css'

/** What proves a signal: its text in the public chain or, while its strategy is private, what opens its hash there. */
export function SignalProof({ signal, onClose }: { signal: Signal | undefined; onClose: () => void }) {
  const shown = useLast(signal)
  return (
    <Modal open={signal !== undefined} onClose={onClose} title={`Signal ${shown?.number ?? ''}`} wide>
      {shown && <Proof key={shown.number} signal={shown} />}
    </Modal>
  )
}

function Proof({ signal }: { signal: Signal }) {
  const { number, seal } = signal
  const canHash = globalThis.crypto?.subtle !== undefined
  const sealed = useQuery({
    queryKey: ['sealed', number],
    queryFn: () => sealedHash(signal, seal ?? ''),
    enabled: seal !== undefined && canHash,
    staleTime: Number.POSITIVE_INFINITY,
  }).data
  const chain = <a href="/signals#chain">public chain</a>
  return (
    <>
      <p className={styles.note}>
        {seal === undefined ? (
          <>Anyone finds this signal in the {chain}, where it was written before its outcome.</>
        ) : (
          <>
            This signal was written to the {chain} before its outcome, as a hash that only you can open. Show these
            values to others, and they can check what it said: the SHA-256 of the random value followed by the text is
            the hash in the chain.
          </>
        )}
      </p>
      <Facts>
        <Fact name="Text">
          <CopyText text={signalText(signal)} what="text" />
        </Fact>
        {seal !== undefined && (
          <Fact name="Random value">
            <CopyText text={seal} what="random value" />
          </Fact>
        )}
        {sealed !== undefined && (
          <Fact name="Hash in the chain">
            <CopyText text={sealed} what="hash" />
          </Fact>
        )}
      </Facts>
      {seal !== undefined && !canHash && <Alert>This browser computes hashes on secure addresses (https) only.</Alert>}
    </>
  )
}
