import { create } from 'zustand'

/** Asks the person in front of the screen for the second factor; answers the step-up token, `undefined` where he declined. */
interface StepUp {
  /** Settles the call that waits; `undefined` while none does. */
  answer: ((token: string | undefined) => void) | undefined
}

export const useStepUp = create<StepUp>(() => ({ answer: undefined }))

/** The question that is under way: calls that are refused meanwhile wait for its end, then ask for themselves. */
let asking: Promise<unknown> = Promise.resolve()

/**
 * Opens 'Confirm it is you' and waits. The server notes the call that it refused last, so only one question is asked at
 * a time.
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
