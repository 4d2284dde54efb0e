/** The simulator rings nobody: the calls of sandbox keys live in it. */
export type EngineKind = 'asterisk' | 'freeswitch' | 'simulator';
