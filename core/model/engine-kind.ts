/** The simulator places no real calls: it runs the calls of sandbox keys. */
export type EngineKind = 'asterisk' | 'freeswitch' | 'simulator';
