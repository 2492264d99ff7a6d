import { create } from 'zustand'

/** `unopened` until somebody asks for a statement: its modal is loaded then, and stays, so that it can fade. */
export const useStatement = create<{ modal: 'unopened' | 'open' | 'closed' }>(() => ({ modal: 'unopened' }))

/** Opens the statement's modal, from wherever. */
export const openStatement = (): void => useStatement.setState({ modal: 'open' })
export const closeStatement = (): void => useStatement.setState({ modal: 'closed' })
