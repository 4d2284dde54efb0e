/** Who hears the supervisor: nobody (`listen`), the agent (`whisper`) or everybody (`barge`). */
export const MONITOR_MODES = ['listen', 'whisper', 'barge'] as const;
export type MonitorMode = (typeof MONITOR_MODES)[number];
