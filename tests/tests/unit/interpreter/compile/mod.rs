mod layouts;
