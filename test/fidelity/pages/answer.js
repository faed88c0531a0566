hear(7);
