import { create } from 'zustand'
import { createJSONStorage, persist } from 'zustand/middleware'
import type { Operator } from '#contract/desk/auth.ts'
import type { OperatorRole } from '#contract/terms.ts'
import type { AccessTokens } from '#web/client/index.ts'

interface State {
  operator: Operator | null
  tokens: AccessTokens | null
}

/** The operator's session. It ends with the tab, so that a desk isn't left open for the next user of the machine. */
export const useSession = create<State>()(
  persist((): State => ({ operator: null, tokens: null }), {
    name: 'desk',
    version: 1,
    storage: createJSONStorage(() => sessionStorage),
  }),
)

export function signInAs(operator: Operator, tokens: AccessTokens): void {
  useSession.setState({ operator, tokens })
}
export function signOutHere(): void {
  useSession.setState({ operator: null, tokens: null })
}

/** Whether the operator has one of these roles. */
export function useMay(roles: readonly OperatorRole[]): boolean {
  return useSession(({ operator }) => roles.some((role) => operator?.roles.includes(role)) ?? false)
}
