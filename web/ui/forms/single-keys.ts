const STORED = 'trade-keys'

/**
 * Whether single-key shortcuts are on. Stored in this browser; turning them off helps people who use speech input or
 * rest a hand on the keyboard.
 */
export const areKeysOn = (): boolean => localStorage.getItem(STORED) !== 'off'
export const keepKeysOn = (on: boolean): void => localStorage.setItem(STORED, on ? 'on' : 'off')

const BUSY = 'dialog[open], [role="dialog"]:not([popover]), [role="dialog"]:popover-open, [data-drawing]'

/** Whether a dialog is open, or a drawing is being made or selected: keys are for that, and never trade. */
export const isKeyboardBusy = (): boolean => document.querySelector(BUSY) !== null
