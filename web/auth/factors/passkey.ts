import type { startAuthentication, startRegistration } from '@simplewebauthn/browser'

type CreateOptions = Parameters<typeof startRegistration>[0]['optionsJSON']
type GetOptions = Parameters<typeof startAuthentication>[0]['optionsJSON']

/** Translates the browser's errors into messages for users: a dismissed dialog or a time-out is not our error. */
const inWords = (error: unknown): Error =>
  error instanceof Error && error.name === 'InvalidStateError'
    ? new Error('This device already has a passkey for this account.')
    : error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError')
      ? new Error("We couldn't verify that passkey. Try again.")
      : error instanceof Error && error.name === 'SecurityError'
        ? new Error(
            "Passkeys don't work at this address. Open the site by its domain name (http://localhost on your own machine).",
          )
        : (error as Error)

/** Creates a passkey in the browser. The library is loaded on demand. */
export async function createPasskey(options: object) {
  const { startRegistration } = await import('@simplewebauthn/browser')
  try {
    return { ...(await startRegistration({ optionsJSON: options as CreateOptions })) }
  } catch (error) {
    throw inWords(error)
  }
}

/** Proves possession of a passkey in the browser. */
export async function provePasskey(options: object) {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  try {
    return { ...(await startAuthentication({ optionsJSON: options as GetOptions })) }
  } catch (error) {
    throw inWords(error)
  }
}
