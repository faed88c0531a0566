#!/usr/bin/env node
// Run by electron-builder in fpm's place (CUSTOM_FPM_PATH), where fpm cannot be fetched: the same arguments, by dpkg-deb.
import { buildDeb } from "./deb.mjs";
import { readFpmArguments } from "./fpm-arguments.mjs";

await buildDeb(readFpmArguments(process.argv.slice(2)));
