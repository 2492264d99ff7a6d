import { create } from 'zustand'

/** Asks the user for the second factor; returns the step-up token, `undefined` if they declined. */
interface StepUp {
  /** Settles the pending call; `undefined` while there is none. */
  answer: ((token: string | undefined) => void) | undefined
}

export const useStepUp = create<StepUp>(() => ({ answer: undefined }))

/** The prompt in progress. Calls rejected meanwhile wait for it to end, then open their own. */
let asking: Promise<unknown> = Promise.resolve()

/**
 * Opens 'Confirm it's you' and waits. The server remembers only the call it rejected last, so prompts are opened one
 * at a time.
 */
export function askStepUp(): Promise<string | undefined> {
  const question = asking.then(
    () =>
      new Promise<string | undefined>((resolve) => {
        useStepUp.setState({
          answer: (token) => {
            useStepUp.setState({ answer: undefined })
            resolve(token)
          },
        })
      }),
  )
  asking = question
  return question
}
