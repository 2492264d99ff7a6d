export { BacktestPanel, type BacktestRange } from './backtest-panel.tsx'
