/** How a supervisor takes part in a call: nobody hears him, its agent does, all do. */
export const MONITOR_MODES = ['listen', 'whisper', 'barge'] as const;
export type MonitorMode = (typeof MONITOR_MODES)[number];
