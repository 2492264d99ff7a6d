import { createContext } from 'react'

/** True while a still page is rendered: one that is sent without React, with a small script at most. */
export const Still = createContext(false)
