import type { ComponentProps } from 'react'
import styles from './key.module.css'

/** A key of the keyboard. */
export const Key = (props: ComponentProps<'kbd'>) => <kbd className={styles.key} {...props} />
