import { create } from 'zustand'

/**
 * `unopened` until the first request for a statement. Then the modal is loaded, and stays mounted so that it can fade.
 */
export const useStatement = create<{ modal: 'unopened' | 'open' | 'closed' }>(() => ({ modal: 'unopened' }))

/** Opens the statement modal from anywhere. */
export const openStatement = (): void => useStatement.setState({ modal: 'open' })
export const closeStatement = (): void => useStatement.setState({ modal: 'closed' })
