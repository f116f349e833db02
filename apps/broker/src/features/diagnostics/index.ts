export { diagnosticsContributor } from './account-contributor.ts';
export { createDiagnostics, type Diagnostics } from './create-diagnostics.ts';
export { runDoctor, type Diagnosis } from './doctor/run-doctor.ts';
export { diagnosticsMigrations } from './migrations.ts';
