import { CpuMeter, type CpuMs } from './cpu.js';

/** Measures the CPU time of named processes over the next seconds. @returns milliseconds per second */
export async function cpuPerSecond(roots: Readonly<Record<string, number>>, seconds: number): Promise<CpuMs> {
  const meter = new CpuMeter(roots);
  const startedMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const passedSeconds = (performance.now() - startedMs) / 1000;
  return Object.fromEntries(Object.entries(meter.read()).map(([name, ms]) => [name, ms / passedSeconds]));
}

/** The figure of one process in each window. */
export function each(windows: readonly CpuMs[], part: string): number[] {
  return windows.map((window) => window[part] ?? 0);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function sayWindow(what: string, window: CpuMs): void {
  const parts = Object.entries(window).map(([name, ms]) => `${name} ${ms.toFixed(1)}`);
  console.log(`  ${what}: CPU ms per second: ${parts.join(', ')}`);
}
