import { type FormEvent, useState } from 'react'
import { OWN_STRATEGIES, type OwnStrategy } from '#contract/trading/own-strategies.ts'
import { call, queryClient, useRequest } from '#web/api/index.ts'
import { Alert, Button, Field, QuestionButtons, toast } from '#web/ui/index.ts'
import { nameErrors } from '../draft.ts'
import styles from './signals.module.css'

/** Asks for the name under which everyone sees a strategy, and publishes it. */
export function Publish({ strategy, onClose }: { strategy: OwnStrategy; onClose: () => void }) {
  const [name, setName] = useState(strategy.name)
  const [isTried, setIsTried] = useState(false)
  const { loading, error, errorOf, run } = useRequest()
  const wrong = nameErrors({ name }).name
  const refused = errorOf('name')
  const publish = (event: FormEvent) => {
    event.preventDefault()
    setIsTried(true)
    if (wrong) return
    void run(async () => {
      const { message } = await call('POST /strategies/:id/publish', {
        params: { id: strategy.id },
        body: { name: name.trim() },
      })
      toast.success(message)
      await queryClient.invalidateQueries({ queryKey: ['GET /strategies'] })
      onClose()
    })
  }
  return (
    <form className={styles.dialog} noValidate aria-label="Publish" onSubmit={publish}>
      <Field
        label="Public name"
        autoComplete="off"
        maxLength={OWN_STRATEGIES.name}
        value={name}
        error={(isTried ? wrong : undefined) ?? refused}
        hint="Nobody can use it again, not even you."
        onChange={(event) => setName(event.target.value)}
      />
      <ul className={styles.points}>
        <li>Anyone can read what it does and its signals from now on, and follow it in automatic trades.</li>
        <li>Its public record begins at zero, with a new version. Automatic trades that follow it stop.</li>
        <li>
          Its signals are switched on: {OWN_STRATEGIES.recorded} strategies at most. They stay on until you withdraw it.
        </li>
        <li>You can withdraw it. Its record stays, and this strategy can't be published again.</li>
      </ul>
      <Alert>{!refused && error}</Alert>
      <QuestionButtons>
        <Button look="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={loading}>
          Publish
        </Button>
      </QuestionButtons>
    </form>
  )
}
